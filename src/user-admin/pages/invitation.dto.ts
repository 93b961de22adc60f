import { IsIn } from 'class-validator';
import { MAX_KEYS, MAX_INVITATION_TTL } from '../../invitations/invitation.dto.js';
import {
  IsDisplayName,
  IsName,
  IsOneText,
  IsWithin,
  MayBeEmpty,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';
import { normalizeName } from '../../platform/validation/values/names.js';

export class UserFormFields {
  @MayBeText(code('E0045R'))
  rp?: string;

  @Reads(normalizeName)
  @IsName(code('E0045R'))
  name!: string;
}

/** Requests a link for a user. */
export class InviteForm extends UserFormFields {
  /**
   * The ID of the user whom the form's page showed, empty if no user had the name. The change is refused if
   * another user has the name now.
   */
  @MayBeText(code('E0045R'))
  user?: string;

  /** The display name of a user who does not exist yet. */
  @MayBeEmpty()
  @IsDisplayName(code('E0045R'))
  displayName?: string;

  @ReadsNumber()
  @IsWithin(1, MAX_KEYS, code('E0045R'))
  minKeys!: number;

  @ReadsNumber()
  @IsWithin(1, MAX_INVITATION_TTL / 3600, code('E0045R'))
  hours!: number;

  /** During a move: whether this is the user who has this name at the old domain. */
  @MayBeEmpty()
  @IsIn(['yes', 'no'], code('E0045R'))
  link?: string;
}

/** Withdraws a link. */
export class WithdrawForm extends UserFormFields {
  @IsOneText(code('E0045R'))
  id!: string;
}
