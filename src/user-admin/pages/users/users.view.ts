import { lastUseOf } from '../../../users/list/filter-and-order.js';
import { withLabels } from '../../../users/credentials/key-label.js';
import type { ModelNames } from '../../../users/credentials/key-label.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { Phrase, Text } from '../../../platform/pages/languages/phrase.js';
import type { PageView } from '../../../platform/pages/page.view.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import { queryOf, userAddress } from '../addresses.js';
import type { PickerEntry } from '../page-scope.js';
import { rightsOf } from './rights.js';
import type { UserPageRights } from './rights.js';
import { chipsOf, sortChoices, sortLinks } from './users-filter.view.js';
import type { Chip, SortLink } from './users-filter.view.js';
import { MOST_IN_FILE } from './users-finder.js';
import type { FoundPage } from './users-finder.js';
import { filterIn, parametersOf } from './users.query.js';
import type { UsersQuery, ViewParameters } from './users.query.js';

/** Keys that a row of the table names; further ones are counted. */
const SHOWN_KEYS = 3;

/** An authenticator model to choose. */
export interface ModelChoice {
  readonly aaguid: string;
  readonly name: string;
  readonly selected: boolean;
}

interface SortedPage {
  readonly found: FoundPage;
  readonly query: UsersQuery;
  readonly choices: readonly PickerEntry[];
  readonly models: readonly ModelChoice[];
  readonly names: ModelNames;
  readonly account: Account;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface UserRow {
  readonly name: string;
  /** `undefined` where it is the same as the user name. */
  readonly displayName: string | undefined;
  readonly domain: string;
  /** `domain/name`, which names the user in forms; a domain has no slash. */
  readonly value: string;
  readonly address: string;
  readonly keys: readonly { readonly label: Text; readonly enabled: boolean }[];
  readonly moreKeys: number;
  readonly lastUsed: string | undefined;
  readonly created: string;
}

export interface UsersView extends PageView {
  readonly filter: string;
  /** The conditions and the order of the view, as its address has them. */
  readonly view: ViewParameters;
  /** Whether the fields of the filters are shown at once. */
  readonly filtered: boolean;
  readonly choices: readonly PickerEntry[];
  readonly models: readonly ModelChoice[];
  readonly chips: readonly Chip[];
  readonly sort: Readonly<Record<string, SortLink>>;
  readonly sorts: ReturnType<typeof sortChoices>;
  readonly users: readonly UserRow[];
  /** Where nobody was found: deleted users of this name who can be brought back. */
  readonly deleted: readonly {
    readonly name: string;
    readonly domain: string;
    readonly address: string;
  }[];
  /** Where nobody was found: the pages from which a user of this name can be invited. */
  readonly invite: readonly { readonly domain: string; readonly address: string }[];
  /** How many match, in words. */
  readonly count: Phrase;
  /** Whether not everybody who may fit was looked at. */
  readonly part: boolean;
  /** Whether the index of words does not hold all names yet. */
  readonly unread: boolean;
  /** Where more people match than are shown: address of all whose user names begin with the text. */
  readonly begins: string | undefined;
  /** Whether anything was searched for; if not, an empty page means that there are no users. */
  readonly searched: boolean;
  readonly rights: UserPageRights;
  readonly tab: { readonly find: true };
  readonly file: string;
  /** People that the file holds at most; `undefined` where it holds all. */
  readonly fileHolds: number | undefined;
  readonly first: string | undefined;
  readonly next: string | undefined;
}

/** With more relying parties, one has to be chosen before. */
const MOST_TO_INVITE_AT = 5;

function inviteAt(
  { filter = '' }: UsersQuery,
  choices: readonly PickerEntry[],
  { invite }: UserPageRights,
): UsersView['invite'] {
  const chosen = choices.find(({ selected }) => selected);
  const domains = (chosen ? [chosen] : choices).map(({ domain }) => domain);
  if (!invite || filter === '' || filter.includes('*') || domains.length > MOST_TO_INVITE_AT)
    return [];
  return domains.map((domain) => ({ domain, address: userAddress(filter, domain) }));
}

/** The page of a view. */
export function usersPage({
  found,
  query,
  choices,
  models,
  names,
  ...shown
}: SortedPage): UsersView {
  const { users, next, people } = found;
  const { account, now } = shown;
  const view = parametersOf(query);
  const address = (more: object) => `/userapi${queryOf({ ...view, ...more })}`;
  const filtered = filterIn(query) !== undefined;
  return {
    title: phrase('users:title'),
    texts: 'users',
    nav: { users: true },
    styles: ['/static/css/users.css'],
    scripts: ['/static/js/users.js'],
    filter: query.filter ?? '',
    view,
    filtered,
    choices,
    models,
    chips: chipsOf(query, now),
    sort: sortLinks(query),
    sorts: sortChoices(query),
    users: users.map((user) => rowOf(user, names)),
    deleted: (found.deleted ?? []).map(({ username: name, relyingParty: { domain } }) => ({
      name,
      domain,
      address: userAddress(name, domain),
    })),
    invite: inviteAt(query, choices, rightsOf(account)),
    count: countText(found),
    part: found.sorted?.all === false,
    unread: people?.complete === false,
    begins: people?.more ? address({ filter: `${query.filter ?? ''}*` }) : undefined,
    searched: query.filter !== undefined || filtered,
    rights: rightsOf(account),
    tab: { find: true },
    file: `/userapi/users.csv${queryOf(view)}`,
    fileHolds: people && MOST_IN_FILE,
    first: query.cursor === undefined ? undefined : address({}),
    next: next && address({ cursor: next }),
  };
}

function rowOf(user: FoundUser, names: ModelNames): UserRow {
  const { username: name, displayName, relyingParty, createdAt, credentials } = user;
  const { domain } = relyingParty;
  const lastUsed = lastUseOf(user);
  return {
    name,
    displayName: displayName === name ? undefined : displayName,
    domain,
    value: `${domain}/${name}`,
    address: userAddress(name, domain),
    keys: withLabels(credentials, names)
      .slice(0, SHOWN_KEYS)
      .map(({ label, enabled }) => ({ label, enabled })),
    moreKeys: Math.max(credentials.length - SHOWN_KEYS, 0),
    lastUsed: lastUsed === undefined ? undefined : new Date(lastUsed).toISOString(),
    created: new Date(createdAt).toISOString(),
  };
}

/** How many people match, as far as the page knows. */
function countText({ users, next, people, sorted, total: counted }: FoundPage): Phrase {
  if (next && people && users.length === 0) return phrase('users:count.notYet');
  if (people?.more) return phrase('users:count.best', { n: users.length });
  if (sorted && !sorted.all) return phrase('users:count.someFound', { n: sorted.n });
  if (sorted) return usersText(sorted.n, true);
  if (!counted && !people) {
    const n = users.length;
    return next ? phrase('users:count.shown', { n }) : phrase('users:count.last', { n });
  }
  const { total, exact } = counted ?? { total: users.length, exact: true };
  return usersText(total, exact);
}

const usersText = (total: number, exact: boolean): Phrase =>
  exact
    ? phrase('users:count.users', { count: total })
    : phrase('users:count.moreThan', { n: total });
