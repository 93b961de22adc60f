import { Allow } from 'class-validator';
import { Expose, Transform } from 'class-transformer';
import { IsName, MayBeText, Reads } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';
import { CreateRelyingPartyDto } from '../../tenancy/tenancy.dto.js';
import { IsOrigins } from '../../tenancy/tenancy.rules.js';
import { linesOf } from './form.js';
import { enteredIn } from './policy-form.js';
import type { EnteredPolicy } from './policy-form.js';

/** A text area whose lines are the values. */
const ReadsLines = (): PropertyDecorator => Reads((text) => [...linesOf(text)]);

/** Of the list of tenants. */
export class TenantsQuery {
  /** Part of the short name, or of the name for people in upper or lower case. */
  @MayBeText(code('E0045R'))
  filter?: string;

  /** The short name at which the page begins. */
  @MayBeText(code('E0045R'))
  from?: string;
}

/** Gives a tenant a relying party. */
export class AddRelyingPartyForm extends CreateRelyingPartyDto {
  @ReadsLines()
  override origins?: string[];
}

/** Name, origins and the whole policy of a relying party. */
export class RelyingPartyForm {
  @IsName(code('E0045R'))
  name!: string;

  @ReadsLines()
  @IsOrigins(code('E0045R'))
  origins!: string[];

  /** Stands in one field for each setting and two for each rule; `policyOf` says what is wrong with it. */
  @Expose()
  @Transform(({ obj }: { obj: unknown }) => enteredIn(obj))
  @Allow(code('E0045R'))
  policy!: EnteredPolicy;
}

/** Deletes what is named once more. */
export class RemoveForm {
  @MayBeText(code('E0045R'))
  confirm?: string;
}
