import { lastUseOf } from '../../../users/list/filter-and-order.js';
import { withLabels, type ModelNames } from '../../../users/credentials/key-label.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { phrase, type Phrase, type Text } from '../../../platform/pages/languages/phrase.js';
import { DAY_MS } from '../../../platform/common/durations.js';
import { dayText } from '../../../platform/validation/values/moment.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import { USERS_PAGE, userPermissions, queryOf, userAddress, userEntry } from '../page-frame.js';
import type { PickerEntry } from '../page-parties.js';
import type { KeyChange } from '../../lists/change-keys-job.js';
import { MAX_IN_FILE, type FoundPage } from './users-finder.js';
import { filterIn, parametersOf, type UsersQuery, type ViewParameters } from './users.dto.js';

/** The number of keys in a row of the table; further ones are counted. */
const SHOWN_KEYS = 3;

export interface ModelChoice {
  readonly aaguid: string;
  readonly name: Text;
  readonly selected: boolean;
}

interface SortedPage {
  readonly found: FoundPage;
  readonly query: UsersQuery;
  readonly domains: readonly string[];
  readonly choices: readonly PickerEntry[];
  readonly models: readonly ModelChoice[];
  readonly names: ModelNames;
  readonly account: Account;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** With more relying parties, one must be chosen first. */
const MAX_TO_INVITE_AT = 5;

function inviteAt(
  { filter = '' }: UsersQuery,
  domains: readonly string[],
  { invite }: ReturnType<typeof userPermissions>,
) {
  if (!invite || filter === '' || filter.includes('*') || domains.length > MAX_TO_INVITE_AT)
    return [];
  return domains.map((domain) => ({ domain, address: userAddress(filter, domain) }));
}

export function usersPage({ found, query, domains, choices, models, names, ...shown }: SortedPage) {
  const { users, next, byWords } = found;
  const { account, now } = shown;
  const view = parametersOf(query);
  const address = (more: object) => `/userapi${queryOf({ ...view, ...more })}`;
  const filtered = filterIn(query) !== undefined;
  const chips = chipsOf(query, now);
  return {
    title: phrase('users:title'),
    ...USERS_PAGE,
    scripts: ['/static/js/users.js'],
    filter: query.filter ?? '',
    /** The conditions and the order of the view, as in its address. */
    view,
    filtered,
    /** Whether the filter fields are unfolded: not for a view that the chosen chip names. */
    unfolded: filtered && !chips.some(({ current }) => current),
    choices,
    models,
    chips,
    sort: sortLinks(query),
    sorts: sortChoices(query),
    users: users.map((user) => rowOf(user, names)),
    /** If no user was found: deleted users of this name who can be restored. */
    deleted: (found.deleted ?? []).map(userEntry),
    /** If no user was found: users with similar names. */
    similar: (found.similar ?? []).map(userEntry),
    /** If no user was found: the pages from which a user of this name can be invited. */
    invite: inviteAt(query, domains, userPermissions(account)),
    count: countText(found),
    /** Whether some possible matches were not examined. */
    part: found.sorted?.all === false,
    /** Whether the index of words does not contain all names yet. */
    unread: byWords?.complete === false,
    /** If more users match than are shown: the address of all whose user names begin with the text. */
    begins: byWords?.more ? address({ filter: `${query.filter ?? ''}*` }) : undefined,
    /** Whether there is a search; if not, an empty page means that there are no users. */
    searched: query.filter !== undefined || filtered,
    permissions: userPermissions(account),
    tab: { find: true },
    file: `/userapi/users.csv${queryOf({ ...view, format: 'spreadsheet' })}`,
    /** What can be done to all matches; `undefined` without conditions, or at several relying parties. */
    matches: offersMatches(query, domains, found, filtered)
      ? matchesOf(view, found, account)
      : undefined,
    /** The maximum number of users in the file; `undefined` if it contains all. */
    fileHolds: byWords?.more ? MAX_IN_FILE : undefined,
    first: query.cursor === undefined ? undefined : address({}),
    next: next && address({ cursor: next }),
  };
}

const offersMatches = (
  { filter = '' }: UsersQuery,
  domains: readonly string[],
  { next, sorted, byWords }: FoundPage,
  filtered: boolean,
): boolean => {
  const hasMore = next !== undefined || byWords?.more === true || sorted?.all === false;
  return domains.length === 1 && (filtered || filter !== '') && hasMore;
};

/** The buttons that make a list of all matches. Their number is in the text if it is known. */
function matchesOf(view: ViewParameters, { total }: FoundPage, account: Account) {
  const text = (name: string) =>
    total?.exact
      ? phrase(`users:list.matches.${name}N`, { n: total.total })
      : phrase(`users:list.matches.${name}`);
  const change = (name: KeyChange) => ({
    text: text(name),
    address: `/userapi/changelistkeys/matches${queryOf({ ...view, sort: undefined, change: name })}`,
    kind: 'secondary',
  });
  const deletion = {
    text: text('delete'),
    address: `/userapi/deletelistusers/matches${queryOf({ ...view, sort: undefined })}`,
    kind: 'danger',
  };
  const { users: mayDelete } = userPermissions(account);
  const buttons = [change('disable'), change('enable'), ...(mayDelete ? [deletion] : [])];
  return { title: text('title'), buttons };
}

function rowOf(user: FoundUser, names: ModelNames) {
  const { createdAt, credentials } = user;
  const lastUsed = lastUseOf(user);
  return {
    ...userEntry(user),
    suspended: user.suspendedBy !== null,
    /** Whether no key of the user, who is not suspended, can sign in. */
    noSignIn: !user.canSignIn && user.suspendedBy === null && credentials.length > 0,
    keys: withLabels(credentials, names)
      .slice(0, SHOWN_KEYS)
      .map(({ label, enabled }) => ({ label, enabled })),
    moreKeys: Math.max(credentials.length - SHOWN_KEYS, 0),
    lastUsed: lastUsed === undefined ? undefined : new Date(lastUsed).toISOString(),
    created: new Date(createdAt).toISOString(),
  };
}

/** The number of matching users, as far as it is known. */
function countText({ users, next, byWords, sorted, total: counted }: FoundPage): Phrase {
  if (next && users.length === 0 && !counted?.total) return phrase('users:count.notYet');
  if (byWords?.more) return phrase('users:count.best', { n: users.length });
  if (sorted && !sorted.all) return phrase('users:count.someFound', { n: sorted.n });
  if (sorted) return usersText(sorted.n, true);
  const { total, exact } = counted ?? { total: users.length, exact: true };
  return usersText(total, exact);
}

const usersText = (total: number, exact: boolean): Phrase =>
  exact
    ? phrase('users:count.users', { count: total })
    : phrase('users:count.atLeast', { n: total });

/** A key unused for this many days may be lost or forgotten. */
const LONG_UNUSED_DAYS = 90;

/** The address of a view with some changed parameters. */
const addressOf = (view: ViewParameters, change: Partial<ViewParameters>): string =>
  `/userapi${queryOf({ ...view, ...change })}`;

/** Links to the most frequent views; each keeps the search text. */
function chipsOf(query: UsersQuery, now: number) {
  const { filter, rp, sort, ...conditions } = parametersOf(query);
  const current = queryOf(conditions);
  const unusedSince = dayText(now - LONG_UNUSED_DAYS * DAY_MS);
  const chip = (text: Phrase, view: Partial<ViewParameters>) => ({
    text,
    address: `/userapi${queryOf({ filter, rp, ...view, sort })}`,
    current: queryOf(view) === current,
  });
  return [
    chip(phrase('users:chips.everybody'), {}),
    chip(phrase('users:chips.cannotSignIn'), { signIn: 'no' }),
    chip(phrase('users:chips.disabled'), { state: 'disabled' }),
    chip(phrase('users:chips.suspended'), { suspended: 'yes' }),
    chip(phrase('users:chips.neverUsed'), { used: 'never' }),
    chip(phrase('users:chips.oneKey'), { keys: 'one' }),
    chip(phrase('users:chips.unused', { days: LONG_UNUSED_DAYS }), { unusedSince }),
  ];
}

/** Links of the headings that sort the table; the link of the current order reverses it. */
function sortLinks(query: UsersQuery) {
  const view = parametersOf(query);
  const link = (column: string, first: string) => {
    const other = first.startsWith('-') ? column : `-${column}`;
    const sorted = [column, `-${column}`].includes(query.sort ?? '');
    const up = query.sort === column;
    const direction = up ? 'ascending' : 'descending';
    return {
      address: addressOf(view, { sort: query.sort === first ? other : first }),
      /** The value of `aria-sort`; absent if the table is not sorted by this column. */
      sorted: sorted ? direction : undefined,
      icon: up ? 'up' : 'down',
    };
  };
  return {
    name: link('name', 'name'),
    used: link('used', 'used'),
    created: link('created', '-created'),
  };
}

/** The orders that the form offers in words, for layouts without headings. */
const SORTS = ['name', '-name', 'used', '-used', 'created', '-created'] as const;

/** The orders that the form offers, with the current one selected. */
const sortChoices = ({ sort: current }: UsersQuery) =>
  SORTS.map((sort) => ({
    sort,
    text: phrase(`users:sorts.${sort}`),
    selected: sort === current,
  }));
