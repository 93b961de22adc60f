import { IsIn, IsString } from 'class-validator';
import { MAX_INVITATION_TTL, MAX_KEYS } from '../../invitations/invitation.dto.js';
import { languages } from '../../platform/pages/languages/languages.js';
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
import { IsTimeZone } from '../../platform/validation/values/moment.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { PageQuery } from './pages.dto.js';

/** Names a user, who may not exist yet. */
export class InvitedUserForm extends PageQuery {
  @Reads(normalizeName)
  @IsName()
  name!: string;
}

export class InviteForm extends InvitedUserForm {
  /** As in `UserChangeForm`. */
  @MayBeText()
  user?: string;

  /** The display name of a user who does not exist yet. */
  @MayBeEmpty()
  @IsDisplayName()
  displayName?: string;

  @ReadsNumber()
  @IsWithin(1, MAX_KEYS)
  minKeys!: number;

  @ReadsNumber()
  @IsWithin(1, MAX_INVITATION_TTL / 3600)
  hours!: number;

  /** The language of the message with the link; that of the page, when absent. */
  @MayBeEmpty()
  @IsIn(languages)
  language?: string;

  /** The time zone of the message. The user's is not known; it is most likely the one of the page's reader. */
  @MayBeEmpty()
  @IsTimeZone()
  zone?: string;

  /** During a move: whether this is the user who has this name at the predecessor. */
  @MayBeEmpty()
  @IsIn(['yes'])
  link?: string;
}

export class InviteListForm extends PageQuery {
  /** A user name in each line, and after a tab the display name, as spreadsheets copy two columns. */
  @IsString()
  users!: string;

  @ReadsNumber()
  @IsWithin(1, MAX_INVITATION_TTL / 3600)
  hours!: number;

  /** Whether those who have an open invitation get another one. */
  @MayBeEmpty()
  @IsIn(['yes'])
  again?: string;
}

export class RevokeForm extends InvitedUserForm {
  @IsOneText()
  id!: string;
}
