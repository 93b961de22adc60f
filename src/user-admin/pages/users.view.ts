import type { FoundUser } from '../../credentials/user-rows.js';
import type { People } from '../../credentials/search/people-search.js';
import type { Total } from '../../credentials/counted-search.js';
import type { PageView } from '../../presentation/page.view.js';
import type { Account } from '../../security/account.js';
import type { Choice } from './page-scope.js';
import { queryOf, userAddress } from './addresses.js';
import { rightsOf } from './rights.js';
import type { Rights } from './rights.js';

/** Keys that a row of the table names; of more it says how many. */
const SHOWN_KEYS = 3;

/** What a search asks for, as its address says it. */
interface Asked {
  readonly filter: string | undefined;
  readonly domain: string | undefined;
  readonly cursor: string | undefined;
  readonly choices: readonly Choice[];
  /** Only who has a disabled key. */
  readonly disabled: boolean;
}

interface Found {
  readonly users: readonly FoundUser[];
  /** The cursor of the next page. */
  readonly next?: string | undefined;
  /** Of a search by words. */
  readonly people?: Omit<People, 'users'>;
  /** Absent where counting them would take too long. */
  readonly total?: Total;
  readonly account: Account;
  readonly asked: Asked;
}

interface UserRow {
  readonly name: string;
  /** Where it says more than the name. */
  readonly displayName: string | undefined;
  readonly domain: string;
  /** Names the user in forms: a domain has no slash. */
  readonly value: string;
  readonly address: string;
  readonly keys: readonly { readonly name: string; readonly enabled: boolean }[];
  readonly moreKeys: number;
  readonly lastUsed: string | undefined;
  readonly created: string;
}

export interface UsersView extends PageView {
  readonly filter: string;
  readonly domain: string | undefined;
  readonly choices: readonly Choice[];
  readonly state: string | undefined;
  readonly chips: readonly {
    readonly text: string;
    readonly address: string;
    readonly current: boolean;
  }[];
  readonly users: readonly UserRow[];
  /** How many match, in words. */
  readonly count: string;
  /** Not all names are read yet by which words are found. */
  readonly unread: boolean;
  /** Of more people than are shown: all whose user names begin so. */
  readonly begins: string | undefined;
  /** A search that found nobody, unlike a server that holds nobody. */
  readonly searched: boolean;
  readonly rights: Rights;
  readonly tab: { readonly find: true };
  readonly file: string;
  readonly first: string | undefined;
  readonly next: string | undefined;
}

/** When one of the keys was used last, in milliseconds since 1970; `undefined` for never. */
export function lastUseOf({ credentials }: FoundUser): number | undefined {
  const uses = credentials.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [lastUsedAt]));
  return uses.length === 0 ? undefined : Math.max(...uses);
}

/** The page of a search. */
export function usersPage({ users, next, total, people, account, asked }: Found): UsersView {
  const { filter, domain: rp, cursor, choices, disabled } = asked;
  const state = disabled ? 'disabled' : undefined;
  const address = (more: object) => `/userapi${queryOf({ filter, rp, ...more })}`;
  return {
    title: 'Users',
    nav: { users: true },
    styles: ['/static/css/users.css'],
    scripts: ['/static/js/users.js'],
    filter: filter ?? '',
    domain: rp,
    choices,
    state,
    chips: [
      { text: 'Everybody', address: address({}), current: !disabled },
      { text: 'With a disabled key', address: address({ state: 'disabled' }), current: disabled },
    ],
    users: users.map(rowOf),
    count: countText(users.length, total, people),
    unread: people?.complete === false,
    begins: people?.more ? address({ filter: `${filter ?? ''}*` }) : undefined,
    searched: filter !== undefined || disabled,
    rights: rightsOf(account),
    tab: { find: true },
    file: `/userapi/users.csv${queryOf({ filter, rp, state })}`,
    first: cursor === undefined ? undefined : address({ state }),
    next: next && address({ state, cursor: next }),
  };
}

function rowOf(user: FoundUser): UserRow {
  const { username: name, displayName, relyingParty, createdAt, credentials } = user;
  const { domain } = relyingParty;
  const lastUsed = lastUseOf(user);
  return {
    name,
    displayName: displayName === name ? undefined : displayName,
    domain,
    value: `${domain}/${name}`,
    address: userAddress(name, domain),
    keys: credentials
      .slice(0, SHOWN_KEYS)
      .map(({ deviceName, enabled }) => ({ name: deviceName, enabled })),
    moreKeys: Math.max(credentials.length - SHOWN_KEYS, 0),
    lastUsed: lastUsed === undefined ? undefined : new Date(lastUsed).toISOString(),
    created: new Date(createdAt).toISOString(),
  };
}

function countText(shown: number, counted: Total | undefined, people: Found['people']): string {
  if (people?.more) return `The best ${shown} matches`;
  if (!counted && !people) return 'With a disabled key';
  const { total, exact } = counted ?? { total: shown, exact: true };
  const users = total === 1 && exact ? 'user' : 'users';
  return `${exact ? '' : 'More than '}${total.toLocaleString('en')} ${users}`;
}
