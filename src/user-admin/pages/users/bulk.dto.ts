import { IsIn } from 'class-validator';
import { problem } from '../../../platform/errors/reasons.js';
import { MayBeText, ReadsTicks } from '../../../platform/validation/decorators.js';
import { Fits } from '../../../platform/validation/field-validator.js';
import { AreTexts, ConfirmationForm, isTexts } from '../pages.dto.js';
import { BULK_ACTIONS, type UserAction } from '../user-actions.js';

/** The maximum number of users in a form: the rows of one page of the table. */
const MAX_USERS = 200;

/** Whether these are users in forms, each `domain/name`: a domain contains no slash. */
const areUsers = (value: unknown): boolean =>
  isTexts(value) && value.length <= MAX_USERS && value.every((t) => /^[^/]+\/./su.test(t));

export class BulkForm extends ConfirmationForm {
  @IsIn(BULK_ACTIONS)
  action!: UserAction;

  @ReadsTicks()
  @Fits(areUsers, (field) => problem('field.users', { field, most: MAX_USERS }))
  user: readonly string[] = [];

  /** The ID of each user, as returned by `shownId` for the previous page: another user may have the name now. */
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
