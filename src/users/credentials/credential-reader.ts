import { Injectable } from '@nestjs/common';
import { EVENT_OF_CEREMONY } from '../../events/event.statements.js';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { receiverOf, type KeyDomain } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { NameForms } from '../name-forms.js';
import type { User } from '../user.entity.js';
import type { Credential } from './credential.entity.js';
import {
  ALL_KEYS_OF_USER,
  USER_BY_ID,
  CREDENTIAL_BY_HASH,
  OWNER_OF_CREDENTIAL,
  OWNER_OF_HANDLE,
  USER_TO_SIGN_IN,
  USER_WITH_CREDENTIALS,
  type AnsweredKeyRow,
  type AnsweredUserRow,
  type EachWithGroups,
  type KnownKeyRow,
  type KnownUserRow,
  type WithGroup,
} from './credential.statements.js';

/** A credential as described in the options of the begin calls. */
export type DescribedCredential = Readonly<Pick<Credential, 'id' | 'credentialId' | 'transports'>>;

export interface UserToSignIn {
  readonly id: Buffer;
  /** As it was registered, whatever the case of the requested name. */
  readonly username: string;
  readonly displayName: string;
  /** The user's ID at the customer's own application. */
  readonly subject: string | undefined;
  /** Those of the user's groups that profiles of the policy name. */
  readonly groups: readonly string[];
  readonly credentials: readonly (DescribedCredential & {
    readonly uvInitialized: boolean;
    readonly signCount: number;
    /** In milliseconds since 1970; `null` if it never signed in. */
    readonly lastUsedAt: number | null;
  })[];
}

/** A key of the user in the answer of a ceremony: browsers permanently delete those that are not listed. */
export interface AnsweredKey extends Readonly<
  Pick<Credential, 'id' | 'credentialId' | 'deviceName' | 'registeredAt' | 'origin' | 'addedAt'>
> {
  /** Whether it is deleted, which can be undone. */
  readonly isDeleted: boolean;
}

export interface KnownUser extends Omit<UserToSignIn, 'credentials'> {
  readonly userHandle: Buffer;
  /** How often the user was locked out. */
  readonly lockouts: number;
  readonly isSuspended: boolean;
  /** See `User`. */
  readonly suspendedBy: number | null;
  /** Whether a directory manages the user. */
  readonly isOfDirectory: boolean;
  readonly credentials: readonly (DescribedCredential & { readonly deviceName: string })[];
}

/**
 * The facts about a credential and its user that an assertion needs. They never change, except for the user’s names; the
 * begin call of a sign-in reads the display name again.
 */
export interface CredentialFacts
  extends
    Readonly<Pick<Credential, 'id' | 'credentialHash' | 'publicKey' | 'aaguid' | 'userId'>>,
    Readonly<Pick<Credential, 'attestationTrusted'>>,
    Readonly<Pick<User, 'username' | 'displayName' | 'userHandle'>> {
  /** `undefined` if it was imported and has not reported it yet. */
  readonly backupEligible: boolean | undefined;
  readonly madeUnderAuthority: boolean;
}

/** The facts, and the members that sign-ins and the help desk change. */
export interface StoredCredential extends CredentialFacts {
  /** `false` too for a key of a suspended user. */
  readonly enabled: boolean;
  readonly isSuspended: boolean;
  readonly refusedWith: Code | null;
  readonly signCount: number;
  /** When the counter was accepted, in milliseconds since 1970; `null` at the registration. */
  readonly lastUsedAt: number | null;
  readonly uvInitialized: boolean;
  /** How often it was disabled or refused, or restored after a deletion. */
  readonly disablings: number;
  /** How often its user was locked out. */
  readonly lockouts: number;
}

/** Whether user verification by a credential counts, and since when. Times are milliseconds since 1970. */
export interface UserVerification extends Readonly<
  Pick<Credential, 'userVerified' | 'registeredAt' | 'lastUsedAt'>
> {
  readonly uvInitialized: boolean;
}

export const credentialHashOf = (credentialId: Buffer): Buffer => sha256(credentialId);

interface FoundRows<Row> {
  readonly rows: Row[];
  /** Those of the user's groups that profiles of the policy name. */
  readonly groups: readonly string[];
}

/**
 * Reads for the four calls: one join each. Every statement is scoped by the relying party, and none finds
 * anything of a closed one.
 */
@Injectable()
export class CredentialReader {
  constructor(private readonly database: Database) {}

  /** The user with all credentials, including disabled ones; `undefined` if there is no such user. */
  async findUser(rp: KeyDomain, username: string): Promise<KnownUser | undefined> {
    const { rows, groups } = await this.rowsOf(USER_WITH_CREDENTIALS, rp, username);
    const [user] = rows;
    if (!user) return undefined;
    const credentials = rows.filter(hasKey);
    const known = { id: user.userId, groups, ...stateOf(user), ...namesOf(user) };
    return { ...known, credentials: oldestFirst(credentials) };
  }

  /** The user with the credentials that may sign in; `undefined` if there are none, or the user is suspended. */
  async findUserToSignIn(rp: KeyDomain, username: string): Promise<UserToSignIn | undefined> {
    const { rows, groups } = await this.rowsOf(USER_TO_SIGN_IN, rp, username);
    const [first] = rows;
    if (!first) return undefined;
    const credentials = oldestFirst(rows).map(
      ({ id, credentialId, transports, uvInitialized, signCount, lastUsedAt }) => ({
        id,
        credentialId,
        transports,
        uvInitialized: Boolean(uvInitialized),
        signCount,
        lastUsedAt,
      }),
    );
    return { id: first.userId, groups, credentials, ...namesOf(first) };
  }

  /** The current user with an ID; `undefined` if there is none. */
  async findUserById(rp: KeyDomain, userId: Buffer) {
    const [user] = await this.database.query(USER_BY_ID, { ...scope(rp), userId });
    if (!user) return undefined;
    return { ...stateOf(user), ...namesOf(user) };
  }

  /** The current user of a credential; `undefined` if there is no such credential. */
  async findOwner(rp: KeyDomain, { id }: Pick<CredentialFacts, 'id'>) {
    const { rows, groups } = await this.read(OWNER_OF_CREDENTIAL, rp, id);
    const [owner] = rows;
    if (!owner) return undefined;
    const { uvInitialized, userVerified, registeredAt, lastUsedAt } = owner;
    const verification: UserVerification = {
      uvInitialized: Boolean(uvInitialized),
      userVerified: Boolean(userVerified),
      registeredAt,
      lastUsedAt,
    };
    const isSuspended = owner.suspendedBy !== null;
    const { id: userId, userHandle } = owner;
    return { userId, groups, verification, isSuspended, userHandle, ...namesOf(owner) };
  }

  /** All of a user's credentials, including disabled ones and those whose deletion can be undone. */
  async findAllKeys(rp: KeyDomain, userId: Buffer): Promise<readonly AnsweredKey[]> {
    return answeredKeys(await this.database.query(ALL_KEYS_OF_USER, { ...scope(rp), userId }));
  }

  /** Whether the handle belongs to keys of this user, but is not the user's own. */
  async hasFurtherHandle(rp: KeyDomain, userId: Buffer, handle: Buffer): Promise<boolean> {
    const [row] = await this.database.query(OWNER_OF_HANDLE, { ...scope(rp), handle });
    return row?.userId.equals(userId) ?? false;
  }

  /** Whether a stored sign-in or registration has completed this ceremony. */
  async isCompleted(rp: KeyDomain, ceremony: Buffer): Promise<boolean> {
    return (await eventOfCeremony(this.database, rp, ceremony)) !== undefined;
  }

  async findByHash(rp: KeyDomain, credentialHash: Buffer): Promise<StoredCredential | undefined> {
    const params = { ...scope(rp), credentialHash };
    const [row] = await this.database.query(CREDENTIAL_BY_HASH, params);
    if (!row) return undefined;
    const isSuspended = row.suspendedBy !== null;
    return {
      ...row,
      isSuspended,
      // SQLite and MySQL return booleans as numbers.
      backupEligible: row.backupEligible === null ? undefined : Boolean(row.backupEligible),
      attestationTrusted: Boolean(row.attestationTrusted),
      enabled: Boolean(row.enabled) && !isSuspended,
      madeUnderAuthority: Boolean(row.madeUnderAuthority),
      uvInitialized: Boolean(row.uvInitialized),
      disablings: row.disablings ?? 0,
      lockouts: row.lockouts ?? 0,
      username: row.username.toString('utf8'),
    };
  }

  /** If case is ignored, a user whose name is not folded yet is found by the exact name. */
  private async rowsOf<Row>(
    { exact, folded }: NameForms<EachWithGroups<Row>>,
    rp: KeyDomain,
    username: string,
  ): Promise<FoundRows<Row>> {
    const find = (statements: EachWithGroups<Row>, name: string) =>
      this.read(statements, rp, Buffer.from(name, 'utf8'));
    if (ignoresCase(rp)) {
      const found = await find(folded, foldedName(username));
      if (found.rows.length > 0) return found;
    }
    return find(exact, normalizeName(username));
  }

  /**
   * The rows about one user. Only for a relying party with profiles the statement reads groups too.
   *
   * @param by a name or an ID, as the statement says
   */
  private async read<Row>(
    { plain, grouped }: EachWithGroups<Row>,
    rp: KeyDomain,
    by: Buffer,
  ): Promise<FoundRows<Row>> {
    const params = { ...scope(rp), by };
    const groups = rp.policy.profiles.map(({ group }) => Buffer.from(group));
    if (groups.length === 0) return { rows: await this.database.query(plain, params), groups: [] };
    return rowsOfOneGroup(await this.database.query(grouped, { ...params, groups }));
  }
}

/** The groups of the user whom all rows concern, and each row once. */
function rowsOfOneGroup<Row extends WithGroup>(rows: readonly Row[]): FoundRows<Row> {
  const nameIn = ({ groupName }: WithGroup) => groupName?.toString('utf8');
  const names = new Set(rows.map(nameIn));
  const [first] = names;
  const groups = [...names].filter((name) => name !== undefined);
  return { rows: rows.filter((row) => nameIn(row) === first), groups };
}

/** The ID of the event of a stored sign-in or registration that has completed the ceremony. */
export async function eventOfCeremony(
  database: Database,
  rp: KeyDomain,
  ceremony: Buffer,
): Promise<Buffer | undefined> {
  const params = { ...scope(receiverOf(rp)), ceremony };
  const [event] = await database.query(EVENT_OF_CEREMONY, params);
  return event?.id;
}

/** SQLite and MySQL return booleans as numbers. */
export const answeredKeys = (rows: readonly AnsweredKeyRow[]): readonly AnsweredKey[] =>
  rows.map((row) => ({ ...row, isDeleted: Boolean(row.isDeleted) }));

const hasKey = (row: KnownUserRow): row is KnownKeyRow => row.id !== null;

/** Sorts by time of registration, and by ID within the same millisecond. */
const oldestFirst = <Row extends { readonly id: Buffer; readonly registeredAt: number }>(
  rows: Row[],
): readonly Row[] =>
  rows.sort((a, b) => a.registeredAt - b.registeredAt || Buffer.compare(a.id, b.id));

const stateOf = ({
  userHandle,
  lockouts,
  suspendedBy,
  isOfDirectory,
}: Pick<KnownUserRow, 'userHandle' | 'lockouts' | 'suspendedBy' | 'isOfDirectory'>) => ({
  userHandle,
  lockouts: lockouts ?? 0,
  isSuspended: suspendedBy !== null,
  suspendedBy,
  isOfDirectory: Boolean(isOfDirectory),
});

const namesOf = ({
  username,
  displayName,
  subject,
}: Pick<AnsweredUserRow, 'username' | 'displayName' | 'subject'>) => ({
  username: username.toString('utf8'),
  displayName,
  subject: subject?.toString('utf8'),
});
