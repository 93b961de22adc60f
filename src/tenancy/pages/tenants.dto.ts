import { applyDecorators } from '@nestjs/common';
import { Allow } from 'class-validator';
import { Expose, Transform } from 'class-transformer';
import { problem } from '../../platform/errors/reasons.js';
import { IsName, MayBeText, Reads } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';
import { CreateRelyingPartyDto } from '../tenancy.dto.js';
import { IsColour, IsEnrolmentUrl, IsOrigins, IsPredecessor } from '../tenancy.rules.js';
import { linesOf } from './form.js';
import { enteredIn, type EnteredPolicy } from './policy-form.js';

/** A text area whose lines are the values. */
const ReadsLines = (): PropertyDecorator => Reads((text) => [...linesOf(text)]);

/** A field of a form that is always sent: left empty it says that there is nothing. */
const OrNothing = (): PropertyDecorator =>
  applyDecorators(
    Expose(),
    Transform(({ value }: { value: unknown }) => value ?? null),
  );

/** Parameters of the list of tenants. */
export class TenantsQuery {
  /** Part of the short name, or of the name for people in upper or lower case. */
  @MayBeText(code('E0045R'))
  filter?: string;

  /** The short name at which the page begins. */
  @MayBeText(code('E0045R'))
  from?: string;
}

/** In the paths of a relying party's pages. */
export interface RelyingPartyAddress {
  readonly tenant: string;
  readonly domain: string;
}

/** Names a form that is kept before it is saved (`DraftForms`). */
export class DraftQuery {
  @MayBeText(code('E0045R'))
  form?: string;
}

export class AddRelyingPartyForm extends CreateRelyingPartyDto {
  @ReadsLines()
  override origins?: string[];
}

/** All that is said of a relying party, but for what it publishes. */
export class RelyingPartyForm {
  @IsName(code('E0045R'))
  name!: string;

  @ReadsLines()
  @IsOrigins(code('E0045R'))
  origins!: string[];

  @OrNothing()
  @IsEnrolmentUrl(code('E0045R', problem('form.enrolmentUrl')))
  enrolmentUrl!: string | null;

  @OrNothing()
  @IsColour(code('E0045R', problem('form.colour')))
  colour!: string | null;

  @OrNothing()
  @IsPredecessor(code('E0045R', problem('form.predecessor')))
  predecessor!: string | null;

  /** Has one field for each setting and two for each rule; `policyOf` says what is wrong with it. */
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
