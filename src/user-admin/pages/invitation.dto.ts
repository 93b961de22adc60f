import { MAX_KEYS, MAX_TTL } from '../../invitations/invitation.dto.js';
import {
  EmptyIsAbsent,
  IsDisplayName,
  IsName,
  IsOneText,
  IsWholeNumber,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../validation/decorators.js';
import { code, optional } from '../../validation/field.js';
import { normalizeName } from '../../validation/names.js';

export class OfPerson {
  @MayBeText(code('E0045R'))
  rp?: string;

  @Reads(normalizeName)
  @IsName(code('E0045R'))
  name!: string;
}

/** Asks for a link for a person. */
export class InviteForm extends OfPerson {
  /** Display name of a person who is no user yet. */
  @EmptyIsAbsent()
  @IsDisplayName(optional(code('E0045R')))
  displayName?: string;

  @ReadsNumber()
  @IsWholeNumber({ min: 1, max: MAX_KEYS }, code('E0045R'))
  minKeys!: number;

  @ReadsNumber()
  @IsWholeNumber({ min: 1, max: MAX_TTL / 3600 }, code('E0045R'))
  hours!: number;
}

/** Asks to end a link. */
export class WithdrawForm extends OfPerson {
  @IsOneText(code('E0045R'))
  id!: string;
}
