import { IsIn, IsInt, Max, Min, ValidateIf } from 'class-validator';
import { MAX_KEYS, MAX_TTL } from '../../invitations/invitation.dto.js';
import {
  EmptyIsAbsent,
  IsDisplayName,
  IsName,
  IsOneText,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/rule.js';
import { normalizeName } from '../../platform/validation/values/names.js';

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
  @ValidateIf(isPresent)
  @IsDisplayName(code('E0045R'))
  displayName?: string;

  @ReadsNumber()
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(MAX_KEYS, code('E0045R'))
  minKeys!: number;

  @ReadsNumber()
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(MAX_TTL / 3600, code('E0045R'))
  hours!: number;

  /** During a move: whether the person is the user who has this name at the old domain. */
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsIn(['yes', 'no'], code('E0045R'))
  link?: string;
}

/** Asks to end a link. */
export class WithdrawForm extends OfPerson {
  @IsOneText(code('E0045R'))
  id!: string;
}
