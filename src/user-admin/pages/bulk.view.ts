import type { FoundUser } from '../../credentials/user-rows.js';
import type { PageView } from '../../presentation/page.view.js';
import { userAddress } from './addresses.js';
import { ACTIONS, deletes } from './user-actions.js';
import type { Action } from './user-actions.js';

/** A user and those of the keys that were changed. */
export interface Changed {
  readonly user: FoundUser;
  readonly keys: readonly string[];
}

interface Person {
  readonly name: string;
  readonly domain: string;
  /** Names the user in forms. */
  readonly value: string;
  readonly address: string;
  /** What happens to the keys, in words. */
  readonly effect: string;
  /** For an undo: the keys, comma-separated. */
  readonly keys: string;
}

export interface BulkView extends PageView {
  readonly action: Action;
  readonly heading: string;
  readonly consequence: string;
  readonly button: string;
  readonly people: readonly Person[];
  readonly count: number;
  /** The number of people has to be typed. */
  readonly typed: boolean;
  readonly danger: boolean;
  /** The action that takes this one back. */
  readonly undo: Action | undefined;
  /** Of a deletion: by what it is taken back. */
  readonly occasion: string | undefined;
}

/** What an action does to several people, in words. */
const WORDS: Partial<Record<Action, Readonly<Record<'verb' | 'done' | 'consequence', string>>>> = {
  'disable-all': {
    verb: 'Disable the keys',
    done: 'Keys disabled',
    consequence: 'These people cannot sign in until a key is enabled again. Nothing is deleted.',
  },
  'enable-all': {
    verb: 'Enable the keys',
    done: 'Keys enabled',
    consequence: 'Each of these keys can be used to sign in again, from now on.',
  },
  'delete-user': {
    verb: 'Delete',
    done: 'Users deleted',
    consequence:
      'These people and all their keys are deleted, and cannot sign in any more. For 24 hours it can be taken back.',
  },
};
const UNDO: Partial<Record<Action, Action>> = {
  'disable-all': 'enable-all',
  'enable-all': 'disable-all',
};

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** The page that shows who is meant before anything happens. */
export function bulkPreview(action: Action, users: readonly FoundUser[]): BulkView {
  const people = users.map((user) => personOf(user, effectOn(action, user)));
  const verb = WORDS[action]?.verb ?? '';
  const button = `${verb} ${action === 'delete-user' ? '' : 'of '}${plural(people.length, 'user')}`;
  const heading = `${button}?`;
  return { ...common(action, people), title: `${heading} · Users`, heading, button };
}

/** The page that shows what has happened, and how to take it back. */
export function bulkResult(
  action: Action,
  { changed, asked, occasion }: { changed: readonly Changed[]; asked: number; occasion: string },
): BulkView {
  const people = changed.map(({ user, keys }) =>
    personOf(user, plural(keys.length, 'key'), keys.join(',')),
  );
  const rest = asked - people.length;
  const left = rest === 0 ? '' : ` ${plural(rest, 'user')} needed no change.`;
  const heading = WORDS[action]?.done ?? 'Done';
  return {
    ...common(action, people),
    title: `${heading} · Users`,
    heading,
    consequence: `${plural(people.length, 'user')} changed.${left}`,
    button: 'Undo',
    undo: people.length === 0 ? undefined : UNDO[action],
    occasion: people.length > 0 && deletes(action) ? occasion : undefined,
  };
}

function common(action: Action, people: readonly Person[]) {
  return {
    nav: { users: true },
    styles: ['/static/css/users.css'],
    action,
    consequence: WORDS[action]?.consequence ?? '',
    people,
    count: people.length,
    typed: ACTIONS[action].typed,
    danger: action === 'delete-user',
    undo: undefined,
    occasion: undefined,
  } as const;
}

function effectOn(action: Action, { credentials }: FoundUser): string {
  const enabled = credentials.filter((credential) => credential.enabled).length;
  if (action === 'disable-all') return `${plural(enabled, 'enabled key')}`;
  if (action === 'enable-all') return plural(credentials.length - enabled, 'disabled key');
  return plural(credentials.length, 'key');
}

function personOf({ username: name, relyingParty }: FoundUser, effect: string, keys = ''): Person {
  const { domain } = relyingParty;
  const value = `${domain}/${name}`;
  return { name, domain, value, address: userAddress(name, domain), effect, keys };
}
