import type { Code } from '../../platform/errors/catalogue.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { mapKey, newId } from '../../platform/database/row-ids.js';
import { credentialHashOf } from '../credentials/credential-reader.js';
import { MAX_CREDENTIALS } from '../credentials/credential-writer.js';
import type { UserToImport } from './import-steps.js';
import type { ImportedUser, ImportSnapshot } from './import-snapshot.js';
import { ownHandleOf, type TransferredKey, type TransferredUser } from './transferred.js';

/** Why a user, or one of the user's keys, is not stored. */
interface Conflict {
  readonly code: Code;
  readonly problem: Problem;
  readonly credentialId?: Buffer;
}

/** The decision about one user of a file. Nothing that is stored already is overwritten. */
export interface ImportDecision {
  /** A `created` or `present` user may have some keys refused; a `refused` user has all keys refused. */
  readonly user: 'created' | 'present' | 'refused' | 'without-keys';
  /** `undefined` if there is nothing to store. */
  readonly addition: UserToImport | undefined;
  /** Keys that the user has already. */
  readonly keysPresent: number;
  readonly conflicts: readonly Conflict[];
}

/**
 * Decides about a user, and adds the rows to store to the snapshot, so that the next users of the batch are
 * compared with them too.
 *
 * @param needsKey whether a new user is skipped if none of the keys can be stored
 */
export function decideImport(
  user: TransferredUser,
  snapshot: ImportSnapshot,
  needsKey: boolean,
): ImportDecision {
  const known = snapshot.user(user.username);
  const conflict = conflictOf(user, known, snapshot);
  if (conflict) return { ...NOTHING, user: 'refused', conflicts: [conflict] };
  const target: ImportedUser = known ?? { id: newId(), credentials: 0, isNew: true };
  const { keys, present, conflicts } = sortedKeys(user.keys, target, snapshot);
  const found = { keysPresent: present, conflicts };
  if (!known && needsKey && keys.length === 0) {
    return { ...found, user: 'without-keys', addition: undefined };
  }
  const handles = user.handles.filter(
    (handle) => snapshot.handles.kindOf(handle, known) === 'nobody',
  );
  remember(user, { target, keys, snapshot });
  const own = ownHandleOf(user);
  const more = known ? handles : handles.filter((handle) => handle !== own);
  const idle = known && keys.length === 0 && more.length === 0;
  const addition = idle ? undefined : { user, known: target, handles: more, keys };
  return { ...found, user: known ? 'present' : 'created', addition };
}

const NOTHING = { addition: undefined, keysPresent: 0 };

/** Why a user cannot be stored: the same name is the same user only if a handle matches. */
function conflictOf(
  { handles, externalId }: TransferredUser,
  known: ImportedUser | undefined,
  snapshot: ImportSnapshot,
): Conflict | undefined {
  const owners = handles.map((handle) => snapshot.handles.kindOf(handle, known));
  if (owners.includes('other')) return taken(problem('import.handleTaken'));
  if (known && !owners.includes('self')) {
    return taken(problem('import.nameTaken'));
  }
  if (
    externalId !== undefined &&
    snapshot.externalIds.kindOf(Buffer.from(externalId), known) === 'other'
  ) {
    return taken(problem('import.userIdTaken'));
  }
  return undefined;
}

const taken = (found: Problem): Conflict => ({ code: 'E0001R', problem: found });

function sortedKeys(keys: readonly TransferredKey[], user: ImportedUser, snapshot: ImportSnapshot) {
  const conflicts: Conflict[] = [];
  const fresh: TransferredKey[] = [];
  const seen = new Set<string>();
  let present = 0;
  for (const key of keys) {
    const { credentialId } = key;
    const hash = credentialHashOf(credentialId);
    const owner = snapshot.credentials.kindOf(hash, user);
    if (owner === 'self' || seen.has(mapKey(hash))) present += 1;
    else if (owner === 'other') conflicts.push({ ...OTHERS, credentialId });
    else if (user.credentials + fresh.length >= MAX_CREDENTIALS) {
      conflicts.push({ ...FULL, credentialId });
    } else {
      seen.add(mapKey(hash));
      fresh.push(key);
    }
  }
  return { keys: fresh, present, conflicts };
}

const OTHERS = { code: 'E0036R', problem: problem('import.credentialTaken') } as const;
const FULL = {
  code: 'E0043R',
  problem: problem('import.tooManyKeys', { most: MAX_CREDENTIALS }),
} as const;

function remember(
  { username, handles, externalId }: TransferredUser,
  added: { target: ImportedUser; keys: readonly TransferredKey[]; snapshot: ImportSnapshot },
): void {
  const { target, keys, snapshot } = added;
  target.credentials += keys.length;
  snapshot.addUser(username, target);
  for (const handle of handles) snapshot.handles.add(handle, target);
  if (externalId !== undefined && target.isNew)
    snapshot.externalIds.add(Buffer.from(externalId), target);
  for (const { credentialId } of keys) {
    snapshot.credentials.add(credentialHashOf(credentialId), target);
  }
}
