import { isChangedBy } from '../../../users/credentials/key-state.js';
import type { EndedPermits } from '../../../users/lock-outs.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { phrase, type Phrase } from '../../../platform/pages/languages/phrase.js';
import { USERS_PAGE, userEntry, withEnded, shownId } from '../page-frame.js';
import { isDeletingAction, needsTypedConfirmation, type UserAction } from '../user-actions.js';

export interface ChangedUser {
  readonly user: FoundUser;
  readonly keys: readonly string[];
}

const UNDO: Partial<Record<UserAction, UserAction>> = {
  'disable-all': 'undo-disable-all',
  'undo-disable-all': 'disable-all',
  'enable-all': 'disable-all',
};

const titleOf = (heading: Phrase): Phrase => phrase('users:bulk.title', { heading });

/** @param list the address of the list from which the users come */
export function bulkPreview(action: UserAction, users: readonly FoundUser[], list: string) {
  const rows = users.map((user) => userRow(user, effectOn(action, user)));
  const button = phrase(`users:bulk.actions.${action}`, { count: rows.length });
  const heading = phrase('users:bulk.question', { what: button });
  return { ...common(action, rows, list), title: titleOf(heading), heading, button };
}

interface BulkOutcome {
  readonly changed: readonly ChangedUser[];
  readonly ended: EndedPermits;
  /** The number of users in the form. */
  readonly requested: number;
  readonly occasion: string;
  readonly list: string;
}

export function bulkResult(action: UserAction, outcome: BulkOutcome) {
  const { changed, ended, requested, occasion, list } = outcome;
  const users = changed.map(({ user, keys }) =>
    userRow(user, phrase('users:bulk.keys.all', { count: keys.length }), keys.join(',')),
  );
  const rest = requested - users.length;
  const changes = withEnded(phrase('users:bulk.changed', { count: users.length }), ended);
  const heading = phrase(`users:bulk.made.${action}`);
  return {
    ...common(action, users, list),
    title: titleOf(heading),
    heading,
    consequence:
      rest === 0 ? changes : phrase('users:bulk.unneeded', { changed: changes, count: rest }),
    button: phrase('users:bulk.undo'),
    undo: users.length === 0 ? undefined : UNDO[action],
    occasion: users.length > 0 ? occasion : undefined,
    deleted: isDeletingAction(action),
  };
}

function common(action: UserAction, users: readonly ReturnType<typeof userRow>[], list: string) {
  return {
    ...USERS_PAGE,
    // These pages answer a POST.
    again: list,
    action,
    consequence: phrase(`users:bulk.means.${action}`),
    users,
    count: users.length,
    typed: needsTypedConfirmation(action),
    danger: action === 'delete-user',
  };
}

function effectOn(action: UserAction, { credentials }: FoundUser): Phrase {
  if (action === 'disable-all') {
    const keys = credentials.filter((key) => isChangedBy('disable', key));
    // A key that only a finding disables can still be disabled by an account.
    const allEnabled = keys.every(({ enabled }) => enabled);
    return phrase(`users:bulk.keys.${allEnabled ? 'enabled' : 'all'}`, { count: keys.length });
  }
  if (action === 'enable-all') {
    const keys = credentials.filter((key) => isChangedBy('enable', key));
    return phrase('users:bulk.keys.disabled', { count: keys.length });
  }
  return phrase('users:bulk.keys.all', { count: credentials.length });
}

/**
 * @param effect the effect on the user's keys, in words
 * @param keys for an undo: the keys, comma-separated
 */
const userRow = (user: FoundUser, effect: Phrase, keys = '') => ({
  ...userEntry(user),
  shown: shownId([user]),
  effect,
  keys,
});
