import { IsIn } from 'class-validator';
import {
  EmptyIsAbsent,
  IsOneText,
  MayBeEmpty,
  MayBeText,
  Reads,
  ReadsTicks,
  isOneText,
} from '../../platform/validation/decorators.js';
import { problem } from '../../platform/errors/reasons.js';
import { Rule, code } from '../../platform/validation/rule.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { ACTION_NAMES, BULK_ACTIONS, type Action } from './user-actions.js';

/** The maximum number of users in a form: the rows of one page of the table. */
const MAX_USERS = 200;
/** A time as sent by a field of type `datetime-local`. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

const IsMoment = Rule(
  'isMoment',
  (value) => isOneText(value) && MOMENT.test(value) && !Number.isNaN(Date.parse(`${value}Z`)),
  (field) => problem('field.moment', { field }),
);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => isOneText(text) && text !== '');

const AreTexts = Rule('areTexts', isTexts, (field) => problem('field.texts', { field }));

/** Checks the users in forms, each `domain/name`: a domain contains no slash. */
const AreUsers = Rule(
  'areUsers',
  (value) =>
    isTexts(value) && value.length <= MAX_USERS && value.every((t) => /^[^/]+\/./su.test(t)),
  (field) => problem('field.users', { field, most: MAX_USERS }),
);

/** The relying party of a page, chosen with a picker. */
export class PageQuery {
  @MayBeText(code('E0045R'))
  rp?: string;
}

/** The request ID in a text: users paste it together with its label, which precedes it. */
const idIn = (text: string): string | undefined => text.match(/[\w-]+/g)?.at(-1);

/** Parameters of the page that explains refusals: a request ID, a name, or the approximate time. */
export class ExplainQuery extends PageQuery {
  @Reads(idIn)
  @MayBeText(code('E0045R'))
  request?: string;

  /** The user name that was claimed, or a name of the user. */
  @MayBeText(code('E0045R'))
  name?: string;

  @MayBeEmpty()
  @IsMoment(code('E0045R'))
  at?: string;
}

/** Names a user of a relying party. */
class UserPageParameters extends PageQuery {
  @EmptyIsAbsent()
  @Reads(normalizeName)
  @IsOneText(code('E0045R'))
  name!: string;
}

/** Parameters of a user's page. */
export class UserPageQuery extends UserPageParameters {
  @MayBeText(code('E0045R'))
  cursor?: string;
}

const MAX_REASON = 200;

const IsReason = Rule(
  'isReason',
  (reason) => typeof reason === 'string' && reason.length <= MAX_REASON,
  (field) => problem('field.maxCharacters', { field, most: MAX_REASON }),
);

/** A change of the user whom the form's page showed. */
class UserChangeForm extends UserPageParameters {
  /**
   * The ID of the user whom the form's page showed, empty if no user had the name. The change is refused if
   * another user has the name now.
   */
  @MayBeText(code('E0045R'))
  user?: string;

  @MayBeText(code('E0045R'))
  confirm?: string;
}

/** The form of a button on a user's page. */
export class UserForm extends UserChangeForm {
  @IsIn(ACTION_NAMES, code('E0045R'))
  action!: Action;

  /** The credential ID, for an action on one key. */
  @MayBeText(code('E0045R'))
  key?: string;

  /** The reason, for those who review the change later. */
  @MayBeEmpty()
  @IsReason(code('E0045R'))
  reason?: string;
}

/**
 * Names the deletions to undo: one, or all of a request or a list. `rp` and `name` are those of the user's page
 * to return to.
 */
export class UndoForm extends PageQuery {
  @MayBeText(code('E0045R'))
  name?: string;

  @MayBeText(code('E0045R'))
  deletion?: string;

  @MayBeText(code('E0045R'))
  occasion?: string;
}

/** Requests the erasure of a user. */
export class ErasureForm extends UserChangeForm {}

/** A change of several users. */
export class BulkForm {
  @IsIn(BULK_ACTIONS, code('E0045R'))
  action!: Action;

  @ReadsTicks()
  @AreUsers(code('E0045R'))
  user: readonly string[] = [];

  /** The ID of each user, as returned by `shownUser` for the previous page: another user may have the name now. */
  @ReadsTicks()
  @AreTexts(code('E0045R'))
  shown: readonly string[] = [];

  /** For an undo: the keys of each user, comma-separated. */
  @ReadsTicks()
  @AreTexts(code('E0045R'))
  keys: readonly string[] = [];

  /** For an undo: the request ID of the change. */
  @MayBeText(code('E0045R'))
  occasion?: string;

  /** The number of users, typed as confirmation. */
  @MayBeText(code('E0045R'))
  confirm?: string;

  @MayBeEmpty()
  @IsReason(code('E0045R'))
  reason?: string;
}

/** Parameters of the page that deletes the users of a list. */
export class ListPageQuery extends PageQuery {
  @MayBeText(code('E0045R'))
  upload?: string;
}

/** Parameters of an upload, whose body is the file. */
export class ListFileQuery extends PageQuery {}

/** The users to add to a list that contains their names in another case. */
export class ListSimilarForm {
  @ReadsTicks()
  @AreTexts(code('E0045R'))
  user: readonly string[] = [];
}

/** Starts the deletion of a list's users. */
export class ListStartForm {
  /** The number of users, typed as confirmation. */
  @MayBeText(code('E0045R'))
  confirm?: string;

  @MayBeEmpty()
  @IsReason(code('E0045R'))
  reason?: string;
}
