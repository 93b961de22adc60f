import { IsIn, IsString } from 'class-validator';
import {
  ReadsEmptyAsAbsent,
  IsDisplayName,
  IsName,
  IsOneText,
  IsReason,
  IsWithin,
  MayBeEmpty,
  MayBeText,
  Reads,
  ReadsNumber,
  ReadsTicks,
  isOneText,
} from '../../platform/validation/decorators.js';
import { problem } from '../../platform/errors/reasons.js';
import { languages } from '../../platform/pages/languages/languages.js';
import { requestIdIn } from '../../platform/http/request-id.js';
import { FieldValidator, Fits } from '../../platform/validation/field-validator.js';
import { IsTimeZone } from '../../platform/validation/values/moment.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { IsGroups } from '../../users/groups/group.validators.js';
import { MAX_INVITATION_TTL, MAX_KEYS } from '../../invitations/invitation.dto.js';
import { KEY_CHANGES, type KeyChange } from '../lists/change-keys-job.js';
import { ACTION_NAMES, BULK_ACTIONS, type Action } from './user-actions.js';

/** The maximum number of users in a form: the rows of one page of the table. */
const MAX_USERS = 200;
/** A time as sent by a field of type `datetime-local`. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

const IsMoment = FieldValidator(
  'isMoment',
  (value) => isOneText(value) && MOMENT.test(value) && !Number.isNaN(Date.parse(`${value}Z`)),
  (field) => problem('field.moment', { field }),
);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => isOneText(text) && text !== '');

const AreTexts = FieldValidator('areTexts', isTexts, (field) => problem('field.texts', { field }));

/** Whether these are users in forms, each `domain/name`: a domain contains no slash. */
const areUsers = (value: unknown): boolean =>
  isTexts(value) && value.length <= MAX_USERS && value.every((t) => /^[^/]+\/./su.test(t));

/** The relying party of a page, chosen with a picker. */
export class PageQuery {
  @MayBeText()
  rp?: string;
}

/** Parameters of the page that explains refusals: a request ID, a name, or the approximate time. */
export class ExplainQuery extends PageQuery {
  @Reads(requestIdIn)
  @MayBeText()
  request?: string;

  /** The same, by the name that it has in answers and in the log. */
  @Reads(requestIdIn)
  @MayBeText()
  requestId?: string;

  /** The user name that was claimed, or a name of the user. */
  @MayBeText()
  name?: string;

  /** An error code. */
  @MayBeText()
  code?: string;

  @MayBeEmpty()
  @IsMoment()
  at?: string;
}

class UserPageParameters extends PageQuery {
  @ReadsEmptyAsAbsent()
  @Reads(normalizeName)
  @IsOneText()
  name!: string;
}

export class UserPageQuery extends UserPageParameters {
  @MayBeText()
  cursor?: string;
}

/** A change of the user whom the form's page showed. */
export class UserChangeForm extends UserPageParameters {
  /**
   * The ID of the user whom the form's page showed, empty if no user had the name. The change is refused if
   * another user has the name now.
   */
  @MayBeText()
  user?: string;

  @MayBeText()
  confirm?: string;

  /** Whether the user's name was typed as confirmation. */
  isConfirmed(): boolean {
    return normalizeName(this.confirm ?? '').trim() === this.name;
  }
}

/** The lines of a text field that are not blank, each once. */
const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];

/** The form of a button on a user's page. */
export class UserForm extends UserChangeForm {
  @IsIn(ACTION_NAMES)
  action!: Action;

  /** The credential ID, for an action on one key. */
  @MayBeText()
  key?: string;

  /** The reason, for those who review the change later. */
  @MayBeEmpty()
  @IsReason()
  reason?: string;
}

/** The form that suspends a user, or ends the suspension. */
export class SuspensionForm extends UserChangeForm {
  @IsIn(['suspend', 'unsuspend'])
  action!: 'suspend' | 'unsuspend';

  @MayBeEmpty()
  @IsReason()
  reason?: string;
}

/** The form that changes a user's groups. */
export class GroupsForm extends UserChangeForm {
  /** Names, one per line. */
  @Reads(linesOf)
  @IsGroups()
  groups!: string[];

  /** See `baseOf`. */
  @MayBeText()
  base?: string;
}

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

/**
 * Names the deletions to undo: one, or all of a request or a list. `rp` and `name` are those of the user's page
 * to return to.
 */
export class UndoForm extends PageQuery {
  @MayBeText()
  name?: string;

  @MayBeText()
  deletion?: string;

  @MayBeText()
  occasion?: string;
}

export class ConfirmationForm {
  /** The number of users, typed as confirmation. */
  @MayBeText()
  confirm?: string;

  @MayBeEmpty()
  @IsReason()
  reason?: string;
}

export class BulkForm extends ConfirmationForm {
  @IsIn(BULK_ACTIONS)
  action!: Action;

  @ReadsTicks()
  @Fits(areUsers, (field) => problem('field.users', { field, most: MAX_USERS }))
  user: readonly string[] = [];

  /** The ID of each user, as returned by `shownUser` for the previous page: another user may have the name now. */
  @ReadsTicks()
  @AreTexts()
  shown: readonly string[] = [];

  /** For an undo: the keys of each user, comma-separated. */
  @ReadsTicks()
  @AreTexts()
  keys: readonly string[] = [];

  /** For an undo: the request ID of the change. */
  @MayBeText()
  occasion?: string;
}

export class ListPageQuery extends PageQuery {
  @MayBeText()
  upload?: string;
}

/** The users to add to a list that contains their names in another case. */
export class ListSimilarForm {
  @ReadsTicks()
  @AreTexts()
  user: readonly string[] = [];
}

/** A list whose keys are to be changed, or are changed. */
export class KeyChangeQuery {
  @IsOneText()
  upload!: string;

  /** For the preview; not needed once the change has begun. */
  @MayBeEmpty()
  @IsIn(KEY_CHANGES)
  change: KeyChange = 'disable';
}

export class KeyChangeForm {
  @IsIn(KEY_CHANGES)
  change!: KeyChange;

  @MayBeEmpty()
  @IsReason()
  reason?: string;
}
