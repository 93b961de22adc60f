import { applyDecorators } from '@nestjs/common';
import { Allow, IsIn } from 'class-validator';
import { Expose, Transform } from 'class-transformer';
import { problem } from '../../platform/errors/reasons.js';
import { IsName, MayBeText, Reads } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/field-validator.js';
import { CreateRelyingPartyDto } from '../../tenancy/tenancy.dto.js';
import {
  IsColour,
  IsEnrolmentUrl,
  IsOrigins,
  IsPredecessor,
} from '../../tenancy/tenancy.validators.js';
import { nonEmptyLines } from './form.js';
import { enteredIn, type EnteredPolicy } from './policy-form.js';

/** A text area whose lines are the values. */
const linesIn = (text: string): readonly string[] => [...nonEmptyLines(text)];

/** A field that the form always sends: an empty one means no value. */
const OrNothing = (): PropertyDecorator =>
  applyDecorators(
    Expose(),
    Transform(({ value }: { value: unknown }) => value ?? null),
  );

/** Parameters of the list of tenants. */
export class TenantsQuery {
  /** Part of the short name, or of the display name without regard to case. */
  @MayBeText()
  filter?: string;

  /** The short name at which the page begins. */
  @MayBeText()
  from?: string;
}

/** Names an unsaved form that is stored (`DraftForms`). */
export class DraftQuery {
  @MayBeText()
  form?: string;
}

/** The users of a trial who can be invited. */
export const INVITED_GROUPS = ['withoutKey', 'unverified'] as const;
type InvitedGroup = (typeof INVITED_GROUPS)[number];

export class InviteGroupQuery {
  @IsIn(INVITED_GROUPS)
  users: InvitedGroup = 'withoutKey';
}

export class AddRelyingPartyForm extends CreateRelyingPartyDto {
  @Reads(linesIn)
  override origins?: string[];
}

/** All fields of a relying party except the published files. */
export class RelyingPartyForm {
  @IsName()
  name!: string;

  @Reads(linesIn)
  @IsOrigins()
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

  /** Has one field for each setting and two for each rule; `policyOf` checks them. */
  @Expose()
  @Transform(({ obj }: { obj: unknown }) => enteredIn(obj))
  @Allow()
  policy!: EnteredPolicy;
}

/** Deletes the item whose name the user types again. */
export class RemoveForm {
  @MayBeText()
  confirm?: string;
}
