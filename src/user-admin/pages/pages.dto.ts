import { IsIn } from 'class-validator';
import {
  ReadsEmptyAsAbsent,
  IsOneText,
  IsReason,
  MayBeEmpty,
  MayBeText,
  Reads,
  isOneText,
} from '../../platform/validation/decorators.js';
import { problem } from '../../platform/errors/reasons.js';
import { requestIdIn } from '../../platform/http/request-id.js';
import { FieldValidator } from '../../platform/validation/field-validator.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { IsGroups } from '../../users/groups/group.validators.js';
import { ACTION_NAMES, type UserAction } from './user-actions.js';

/** A time as sent by a field of type `datetime-local`. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

const IsMoment = FieldValidator(
  'isMoment',
  (value) => isOneText(value) && MOMENT.test(value) && !Number.isNaN(Date.parse(`${value}Z`)),
  (field) => problem('field.moment', { field }),
);

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => isOneText(text) && text !== '');

export const AreTexts = FieldValidator('areTexts', isTexts, (field) =>
  problem('field.texts', { field }),
);

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
  action!: UserAction;

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
