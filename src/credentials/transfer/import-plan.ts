import type { Code } from '../../errors/catalogue.js';
import { newId } from '../../database/columns.js';
import { credentialHashOf } from '../credential-reader.js';
import { MAX_CREDENTIALS } from '../credential-writer.js';
import type { Addition } from './import-steps.js';
import type { KnownUser, Stock } from './stock.js';
import { ownHandleOf } from './transferred.js';
import type { TransferredKey, TransferredUser } from './transferred.js';

/** Why a user, or one of the user's keys, is not stored. */
export interface Conflict {
  readonly code: Code;
  readonly sentence: string;
  readonly credentialId?: Buffer;
}

/** What becomes of one user of a file. Nothing that is stored already is overwritten. */
export interface Decision {
  /** A `created` or `present` user may have some keys refused; of a `refused` user all are. */
  readonly user: 'created' | 'present' | 'refused' | 'without-keys';
  /** `undefined` where there is nothing to store. */
  readonly addition: Addition | undefined;
  /** Keys that the user has already. */
  readonly keysPresent: number;
  readonly conflicts: readonly Conflict[];
}

/**
 * Decides about a user, and adds what is to be stored to the stock, so that the next users of the batch are
 * compared with it too.
 *
 * @param needsKey whether a new user is left out where none of the keys can be stored
 */
export function decide(user: TransferredUser, stock: Stock, needsKey: boolean): Decision {
  const known = stock.user(user.username);
  const conflict = conflictOf(user, known, stock);
  if (conflict) return { ...NOTHING, user: 'refused', conflicts: [conflict] };
  const target: KnownUser = known ?? { id: newId(), credentials: 0, isNew: true };
  const { keys, present, conflicts } = sortedKeys(user.keys, target, stock);
  const found = { keysPresent: present, conflicts };
  if (!known && needsKey && keys.length === 0) {
    return { ...found, user: 'without-keys', addition: undefined };
  }
  const handles = user.handles.filter((handle) => stock.handleOf(handle, known) === 'nobody');
  remember(user, { target, keys, stock });
  const own = ownHandleOf(user);
  const more = known ? handles : handles.filter((handle) => handle !== own);
  const idle = known && keys.length === 0 && more.length === 0;
  const addition = idle ? undefined : { user, known: target, handles: more, keys };
  return { ...found, user: known ? 'present' : 'created', addition };
}

const NOTHING = { addition: undefined, keysPresent: 0 };

/** Why a user cannot be stored: the same name is the same person only where a handle agrees. */
function conflictOf(
  { handles, subject }: TransferredUser,
  known: KnownUser | undefined,
  stock: Stock,
): Conflict | undefined {
  const owners = handles.map((handle) => stock.handleOf(handle, known));
  if (owners.includes('other')) return taken('Another user has this user handle.');
  if (known && !owners.includes('self')) {
    return taken('A user of this name is here already, with another user handle.');
  }
  if (subject !== undefined && stock.subjectOf(subject, known) === 'other') {
    return taken('Another user has this "userId".');
  }
  return undefined;
}

const taken = (sentence: string): Conflict => ({ code: 'E0001R', sentence });

function sortedKeys(keys: readonly TransferredKey[], user: KnownUser, stock: Stock) {
  const conflicts: Conflict[] = [];
  const fresh: TransferredKey[] = [];
  const seen = new Set<string>();
  let present = 0;
  for (const key of keys) {
    const { credentialId } = key;
    const hash = credentialHashOf(credentialId);
    const owner = stock.credentialOf(hash, user);
    if (owner === 'self' || seen.has(hash.toString('latin1'))) present += 1;
    else if (owner === 'other') conflicts.push({ ...OTHERS, credentialId });
    else if (user.credentials + fresh.length >= MAX_CREDENTIALS) {
      conflicts.push({ ...FULL, credentialId });
    } else {
      seen.add(hash.toString('latin1'));
      fresh.push(key);
    }
  }
  return { keys: fresh, present, conflicts };
}

const OTHERS = { code: 'E0036R', sentence: 'Another user has this credential.' } as const;
const FULL = {
  code: 'E0043R',
  sentence: `A user has at most ${MAX_CREDENTIALS} keys.`,
} as const;

function remember(
  { username, handles, subject }: TransferredUser,
  added: { target: KnownUser; keys: readonly TransferredKey[]; stock: Stock },
): void {
  const { target, keys, stock } = added;
  target.credentials += keys.length;
  stock.addUser(username, target);
  for (const handle of handles) stock.addHandle(handle, target);
  if (subject !== undefined && target.isNew) stock.addSubject(subject, target);
  for (const { credentialId } of keys) stock.addCredential(credentialHashOf(credentialId), target);
}
