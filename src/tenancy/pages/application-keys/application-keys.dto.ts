import { Transform } from 'class-transformer';
import { IssueKeyDto } from '../../keys/application-key.dto.js';
import type { Scope } from '../../../platform/access/permissions.js';

/** Tick boxes that share a name: a single ticked one arrives as text, several as an array. */
const ReadsTicks = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value));

/** Issues a key, for the tenant in the page's address. */
export class IssueKeyForm extends IssueKeyDto {
  @ReadsTicks()
  override relyingParties?: string[];

  @ReadsTicks()
  override scopes!: Scope[];
}
