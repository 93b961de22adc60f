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

/** Users that one form may name: the rows of one page of the table. */
const MAX_USERS = 200;
/** A time as a field of type `datetime-local` sends it. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

const IsMoment = Rule(
  'isMoment',
  (value) => isOneText(value) && MOMENT.test(value) && !Number.isNaN(Date.parse(`${value}Z`)),
  (field) => problem('field.moment', { field }),
);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => isOneText(text) && text !== '');

const AreTexts = Rule('areTexts', isTexts, (field) => problem('field.texts', { field }));

/** Checks users as forms name them, each `domain/name`: a domain has no slash. */
const AreUsers = Rule(
  'areUsers',
  (value) =>
    isTexts(value) && value.length <= MAX_USERS && value.every((t) => /^[^/]+\/./su.test(t)),
  (field) => problem('field.users', { field, most: MAX_USERS }),
);

/** The relying party of a page, which a picker chooses. */
export class PageQuery {
  @MayBeText(code('E0045R'))
  rp?: string;
}

/** The request ID in a text: people paste it with its label, which comes before it. */
const idIn = (text: string): string | undefined => text.match(/[\w-]+/g)?.at(-1);

/** Parameters of the page that explains refusals: a request ID, a name, or the approximate time. */
export class ExplainQuery extends PageQuery {
  @Reads(idIn)
  @MayBeText(code('E0045R'))
  request?: string;

  /** The user name that was claimed, or a name of the person. */
  @MayBeText(code('E0045R'))
  name?: string;

  @MayBeEmpty()
  @IsMoment(code('E0045R'))
  at?: string;
}

/** Names a person of a relying party. */
class PersonParameters extends PageQuery {
  @EmptyIsAbsent()
  @Reads(normalizeName)
  @IsOneText(code('E0045R'))
  name!: string;
}

/** Parameters of a person's page. */
export class PersonQuery extends PersonParameters {
  @MayBeText(code('E0045R'))
  cursor?: string;
}

const MAX_REASON = 200;

const IsReason = Rule(
  'isReason',
  (reason) => typeof reason === 'string' && reason.length <= MAX_REASON,
  (field) => problem('field.maxCharacters', { field, most: MAX_REASON }),
);

/** A change of the person whom the form's page showed. */
class PersonChange extends PersonParameters {
  /**
   * ID of the user whom the form's page showed, empty where nobody had the name. The change is refused where the
   * name has another user by now.
   */
  @MayBeText(code('E0045R'))
  user?: string;

  @MayBeText(code('E0045R'))
  confirm?: string;
}

/** The form that a button of a person's page sends. */
export class PersonForm extends PersonChange {
  @IsIn(ACTION_NAMES, code('E0045R'))
  action!: Action;

  /** The credential ID, for an action on one key. */
  @MayBeText(code('E0045R'))
  key?: string;

  /** Why it is done, for people who look at it later. */
  @MayBeEmpty()
  @IsReason(code('E0045R'))
  reason?: string;
}

/**
 * Names the deletions to take back: one, or all of a request or a list. `rp` and `name` name the person's
 * page to lead back to.
 */
export class UndoForm extends PageQuery {
  @MayBeText(code('E0045R'))
  name?: string;

  @MayBeText(code('E0045R'))
  deletion?: string;

  @MayBeText(code('E0045R'))
  occasion?: string;
}

/** Asks to erase a person. */
export class ErasureForm extends PersonChange {}

/** A change of several people. */
export class BulkForm {
  @IsIn(BULK_ACTIONS, code('E0045R'))
  action!: Action;

  @ReadsTicks()
  @AreUsers(code('E0045R'))
  user: readonly string[] = [];

  /** The ID of each user, as `shownUser` returned it for the page before: the name may be another's by now. */
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

  /** The number of users, typed to confirm. */
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

/** Users to add to a list that has their names in another case. */
export class ListSimilarForm {
  @ReadsTicks()
  @AreTexts(code('E0045R'))
  user: readonly string[] = [];
}

/** Asks to start the deletion of a list's users. */
export class ListStartForm {
  /** The number of users, typed to confirm. */
  @MayBeText(code('E0045R'))
  confirm?: string;

  @MayBeEmpty()
  @IsReason(code('E0045R'))
  reason?: string;
}
