import type { Code } from '../../platform/errors/catalogue.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import type { Database } from '../../platform/database/database.js';
import { mapKey, newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { Statement } from '../../platform/database/statement.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { credentialHashOf } from '../credentials/credential-reader.js';
import { MAX_CREDENTIALS, type Credential } from '../credentials/credential.entity.js';
import { freeKeyName } from '../credentials/key-label.js';
import { nameFormOf } from '../name-forms.js';
import {
  KEY_NAMES_OF_USERS,
  OWNERS_OF_CREDENTIALS,
  OWNERS_OF_HANDLES,
  USERS_OF_HANDLES,
  USERS_OF_NAMES,
  USERS_OF_SUBJECTS,
  type ListedRows,
} from './transfer.statements.js';
import { ownHandleOf, type TransferredKey, type TransferredUser } from './transferred.js';

/** A user who exists already, or whom this part of the import creates. */
interface ImportedUser {
  readonly id: Buffer;
  /** The stored user ID; `null` if the user has none. */
  readonly subject: Buffer | null;
  /** The user's keys, with those that this part adds. */
  readonly keys: Readonly<Pick<Credential, 'deviceName'>>[];
  /** Created by this part, so not visible to others yet. */
  readonly isNew: boolean;
}

/** The owners of handles, user IDs or credentials. */
class Owners {
  private readonly ids = new Map<string, Buffer>();

  add(owned: Buffer, { id }: Pick<ImportedUser, 'id'>): void {
    this.ids.set(mapKey(owned), id);
  }

  /** Who has it: no user, this user, or another one. */
  kindOf(owned: Buffer, user: ImportedUser | undefined): 'nobody' | 'self' | 'other' {
    const id = this.ids.get(mapKey(owned));
    if (!id) return 'nobody';
    return user?.id.equals(id) ? 'self' : 'other';
  }
}

/**
 * The owners of the names, handles, user IDs and credentials in a part of an import. Rows that the part is going to
 * store are added, so that repetitions within the part are found too.
 */
class ImportSnapshot {
  readonly handles = new Owners();
  readonly subjects = new Owners();
  /** By the hashes of credential IDs. */
  readonly credentials = new Owners();
  /** Users by `nameKey`, the form in which the relying party compares names. */
  private readonly byName = new Map<string, ImportedUser>();

  constructor(
    private readonly rp: RelyingParty,
    /** Whether a user of the predecessor will have the name. */
    readonly isExpected: (username: string) => boolean,
  ) {}

  user(username: string): ImportedUser | undefined {
    return this.byName.get(nameKey(this.rp, username));
  }

  addUser(username: string, user: ImportedUser): void {
    this.byName.set(nameKey(this.rp, username), user);
  }

  /** Adds the rows of a user that the part is going to store. Only the first record of a new user sets its user ID. */
  remember(
    { username, handles, subject }: TransferredUser,
    stored: ImportedUser,
    keys: readonly TransferredKey[],
  ): void {
    stored.keys.push(...keys);
    for (const handle of handles) this.handles.add(handle, stored);
    if (subject !== undefined && !this.user(username)) {
      this.subjects.add(Buffer.from(subject), stored);
    }
    this.addUser(username, stored);
    for (const { credentialId } of keys) {
      this.credentials.add(credentialHashOf(credentialId), stored);
    }
  }
}

/** Reads the snapshot for a part: six statements, whatever its size. */
export async function readSnapshot(
  database: Database,
  rp: RelyingParty,
  part: readonly TransferredUser[],
  isExpected: (username: string) => boolean,
): Promise<ImportSnapshot> {
  const names = part.map(({ username }) => Buffer.from(nameKey(rp, username), 'utf8'));
  const handles = part.flatMap((user) => user.handles);
  const subjects = part.flatMap(({ subject }) =>
    subject === undefined ? [] : [Buffer.from(subject, 'utf8')],
  );
  const hashes = part.flatMap(({ keys }) =>
    keys.map(({ credentialId }) => credentialHashOf(credentialId)),
  );
  const find = async <Row>(statement: Statement<ListedRows, Row>, list: readonly Buffer[]) =>
    list.length === 0 ? [] : database.query(statement, { ...scope(rp), list });
  const [byName, byHandle, bySubject, further, credentials] = await Promise.all([
    find(nameFormOf(rp, USERS_OF_NAMES), names),
    find(USERS_OF_HANDLES, handles),
    find(USERS_OF_SUBJECTS, subjects),
    find(OWNERS_OF_HANDLES, handles),
    find(OWNERS_OF_CREDENTIALS, hashes),
  ]);
  const keyNames = await find(
    KEY_NAMES_OF_USERS,
    byName.map(({ id }) => id),
  );
  const keysByUser = Map.groupBy(keyNames, ({ userId }) => mapKey(userId));
  const snapshot = new ImportSnapshot(rp, isExpected);
  for (const row of byName) {
    const keys = keysByUser.get(mapKey(row.id)) ?? [];
    snapshot.addUser(row.username.toString('utf8'), { ...row, keys, isNew: false });
  }
  for (const row of [...byName, ...byHandle, ...bySubject]) {
    snapshot.handles.add(row.userHandle, row);
    if (row.subject) snapshot.subjects.add(row.subject, row);
  }
  for (const { userId: id, handle } of further) snapshot.handles.add(handle, { id });
  for (const { userId: id, credentialHash } of credentials) {
    snapshot.credentials.add(credentialHash, { id });
  }
  return snapshot;
}

/** Why a user, or one of the user's keys, is not stored. */
interface Conflict {
  readonly code: Code;
  readonly problem: Problem;
  readonly credentialId?: Buffer;
}

/** The parts of a file's user to store. */
export interface UserToImport {
  readonly user: TransferredUser;
  readonly known: ImportedUser;
  /** Further handles that the user does not have yet. */
  readonly handles: readonly Buffer[];
  readonly keys: readonly TransferredKey[];
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
 * Decides about a user, and adds the rows to store to the snapshot, so that the next users of the part are
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
  if (conflict) {
    return { user: 'refused', addition: undefined, keysPresent: 0, conflicts: [conflict] };
  }
  const target = known ?? newUser(user);
  const { keys, present, conflicts } = sortedKeys(user.keys, target, snapshot);
  const found = { keysPresent: present, conflicts };
  if (!known && needsKey && keys.length === 0) {
    return { ...found, user: 'without-keys', addition: undefined };
  }
  const handles = user.handles.filter(
    (handle) => snapshot.handles.kindOf(handle, known) === 'nobody',
  );
  snapshot.remember(user, target, keys);
  const own = ownHandleOf(user);
  const more = known ? handles : handles.filter((handle) => handle !== own);
  const idle = known && keys.length === 0 && more.length === 0;
  const addition = idle ? undefined : { user, known: target, handles: more, keys };
  return { ...found, user: known ? 'present' : 'created', addition };
}

/**
 * What the part stores: one addition for each user, with the handles and keys of all its records. A file may repeat a
 * user, whom the first record describes.
 */
export function additionsOf(decisions: readonly ImportDecision[]): UserToImport[] {
  const additions = new Map<ImportedUser, UserToImport>();
  for (const { addition } of decisions) {
    if (!addition) continue;
    const { known, handles, keys } = addition;
    const first = additions.get(known);
    additions.set(known, {
      ...(first ?? addition),
      handles: [...(first?.handles ?? []), ...handles],
      keys: [...(first?.keys ?? []), ...keys],
    });
  }
  return [...additions.values()];
}

const newUser = ({ subject }: TransferredUser): ImportedUser => ({
  id: newId(),
  subject: subject === undefined ? null : Buffer.from(subject),
  keys: [],
  isNew: true,
});

/**
 * Why a user cannot be stored: the same name is the same user only if a handle matches, and no other user ID is
 * stored.
 */
function conflictOf(
  { username, handles, subject }: TransferredUser,
  known: ImportedUser | undefined,
  snapshot: ImportSnapshot,
): Conflict | undefined {
  if (!known && snapshot.isExpected(username)) {
    return { code: 'E0045R', problem: problem('import.needsLink') };
  }
  const owners = handles.map((handle) => snapshot.handles.kindOf(handle, known));
  if (owners.includes('other')) return taken(problem('import.handleTaken'));
  if (known && !owners.includes('self')) {
    return taken(problem('import.nameTaken'));
  }
  if (subject === undefined) return undefined;
  const owner = snapshot.subjects.kindOf(Buffer.from(subject), known);
  if (owner === 'other') return taken(problem('import.userIdTaken'));
  if (owner === 'nobody' && known?.subject) return taken(problem('import.userIdDiffers'));
  return undefined;
}

const taken = (found: Problem): Conflict => ({ code: 'E0001R', problem: found });

/** Sorts the keys of a file; the fresh ones receive names that no other key of the user has. */
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
    else if (user.keys.length + fresh.length >= MAX_CREDENTIALS) {
      conflicts.push({ ...FULL, credentialId });
    } else {
      seen.add(mapKey(hash));
      const deviceName = freeKeyName(key.deviceName, [...user.keys, ...fresh]);
      fresh.push({ ...key, deviceName });
    }
  }
  return { keys: fresh, present, conflicts };
}

const OTHERS = { code: 'E0036R', problem: problem('import.credentialTaken') } as const;
const FULL = {
  code: 'E0043R',
  problem: problem('import.tooManyKeys', { most: MAX_CREDENTIALS }),
} as const;
