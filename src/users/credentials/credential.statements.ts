import { namedParameters, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { sql, type Param } from '../../platform/database/statement.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { DeletedKey } from '../deletions/deletion.entity.js';
import { UserGroup } from '../groups/user-group.entity.js';
import { eachNameForm } from '../name-forms.js';
import { User, FurtherHandle } from '../user.entity.js';
import { Credential, KEY_STATE } from './credential.entity.js';

/*
 * The reads and writes of the four calls: one join each. Reads are not sorted, so that reads of several callers can be
 * merged into one statement.
 */

/** Columns of both begin calls. Times are milliseconds since 1970. */
type DescriptorRow = RowOf<User, 'displayName' | 'subject', 'username'> &
  RowOf<Credential, 'userId' | 'credentialId' | 'transports' | 'registeredAt'>;

/** A user without credentials is one row without a credential. */
export type KnownUserRow = DescriptorRow &
  RowOf<User, 'userHandle' | 'lockouts' | 'suspendedBy'> &
  Management &
  RowOf<Credential, 'deviceName'> & { readonly id: Buffer | null };

/** Whether a directory manages a user. */
export interface Management {
  readonly isOfDirectory: number;
}

/** `uvInitializedOf` a credential. */
interface Verification {
  readonly uvInitialized: number;
}

type SignInRow = DescriptorRow &
  RowOf<Credential, 'id' | 'signCount' | 'lastUsedAt'> &
  Verification;

/** A key for the answer of a ceremony. */
export type AnsweredKeyRow = RowOf<Credential, (typeof ANSWERED)[number]> & {
  readonly isDeleted: number;
};

export type AnsweredUserRow = RowOf<User, 'displayName' | 'userHandle' | 'subject', 'username'>;

type OwnerRow = AnsweredUserRow &
  RowOf<User, 'id' | 'suspendedBy'> &
  RowOf<Credential, 'userVerified' | 'registeredAt' | 'lastUsedAt'> &
  Verification;

type CredentialRow = RowOf<
  User,
  'displayName' | 'userHandle' | 'suspendedBy' | 'lockouts',
  'username'
> &
  RowOf<Credential, 'userId' | 'id' | 'credentialHash' | 'publicKey' | 'signCount' | 'aaguid'> &
  RowOf<Credential, 'backupEligible' | 'attestationTrusted' | 'enabled' | 'madeUnderAuthority'> &
  RowOf<Credential, 'lastUsedAt' | 'disablings'> &
  Verification & { readonly refusedWith: Code | null };

const SMALL = { small: true };

const users = tableOf(User);
const credentials = tableOf(Credential);
const user = tableOf(User, 'u');
const credential = tableOf(Credential, 'c');
const furtherHandles = tableOf(FurtherHandle);
const deletedKeys = tableOf(DeletedKey);
const vouchingKey = tableOf(Credential, 'v');
const relyingParty = tableOf(RelyingPartyEntity, 'r');
const group = tableOf(UserGroup, 'g');

/** Restricts every statement to open relying parties. */
const ITS_OPEN_PARTY = (row: typeof user | typeof credential) =>
  `JOIN ${relyingParty.from} ON ${relyingParty.id} = ${row.relyingPartyId} AND ${relyingParty.closedAt} = 0`;
const OF_USER = `${credential.userId} = ${user.id}`;

const ITS_GROUPS = `LEFT JOIN ${group.from} ON ${group.userId} = ${user.id} AND ${group.name} IN (:...groups)`;

/** Finds a user by a name, or a credential by its ID. */
type By = Scope & { readonly by: Buffer };

/** A row with one of the user's groups; `null` for a user who has none of them. */
export interface WithGroup {
  readonly groupName: Buffer | null;
}

/**
 * A statement, and one that also reads which of some groups the user has: a user of several has each row once for each.
 * Only relying parties with profiles pay for the latter.
 */
export const eachWithGroups = <Row>(text: (column: string, join: string) => string) => ({
  plain: sql<By, Row>(text('', ''), SMALL),
  grouped: sql<By & { groups: readonly Buffer[] }, Row & WithGroup>(
    text(`, ${group.name} AS groupName`, ITS_GROUPS),
    SMALL,
  ),
});

/**
 * Whether user verification by a key counts. For keys of earlier versions the flag of the registration decides,
 * since a migration must not update a large table.
 */
export const uvInitializedOf = (row: {
  readonly uvInitialized: string;
  readonly userVerified: string;
}): string => `COALESCE(${row.uvInitialized}, ${row.userVerified})`;

const UV_INITIALIZED = `${uvInitializedOf(credential)} AS uvInitialized`;

const IS_OF_DIRECTORY = `${user.directoryJson} IS NOT NULL AS isOfDirectory`;

const DESCRIPTOR = `${user.id} AS userId, ${user.select('username', 'displayName', 'subject')},
  ${credential.select('id', 'credentialId', 'transports', 'registeredAt')}`;

export const USER_WITH_CREDENTIALS = eachNameForm(user, (name) =>
  eachWithGroups<KnownUserRow>(
    (groups, join) =>
      `SELECT ${DESCRIPTOR}, ${user.select('userHandle', 'lockouts', 'suspendedBy')}, ${IS_OF_DIRECTORY},
    ${credential.select('deviceName')}${groups}
  FROM ${user.from} LEFT JOIN ${credential.from} ON ${OF_USER} ${ITS_OPEN_PARTY(user)} ${join}
  WHERE ${user.scope} AND ${name} = :by`,
  ),
);

const ANSWERED = ['id', 'credentialId', 'deviceName', 'registeredAt', 'origin'] as const;

/** All of the user's credentials, including disabled ones and those whose deletion can be undone. */
export const ALL_KEYS_OF_USER = sql<Scope & { userId: Buffer }, AnsweredKeyRow>(
  `SELECT ${credentials.select(...ANSWERED)}, 0 AS isDeleted
  FROM ${credentials.from} WHERE ${credentials.scope} AND ${credentials.userId} = :userId
  UNION ALL SELECT ${deletedKeys.select(...ANSWERED)}, 1 AS isDeleted
  FROM ${deletedKeys.from} WHERE ${deletedKeys.scopeWithoutIndex} AND ${deletedKeys.userId} = :userId`,
  SMALL,
);

export const USER_BY_ID = sql<
  Scope & { userId: Buffer },
  AnsweredUserRow & RowOf<User, 'lockouts' | 'suspendedBy'> & Management
>(
  `SELECT ${user.select('username', 'displayName', 'userHandle', 'subject', 'lockouts')},
    ${user.select('suspendedBy')}, ${IS_OF_DIRECTORY}
  FROM ${user.from} ${ITS_OPEN_PARTY(user)} WHERE ${user.scope} AND ${user.id} = :userId`,
  SMALL,
);

/** The user of a credential, and since when its user verification counts. */
export const OWNER_OF_CREDENTIAL = eachWithGroups<OwnerRow>(
  (groups, join) => `SELECT
    ${user.select('id', 'username', 'displayName', 'userHandle', 'subject', 'suspendedBy')},
    ${UV_INITIALIZED}, ${credential.select('userVerified', 'registeredAt', 'lastUsedAt')}${groups}
  FROM ${credential.from} JOIN ${user.from} ON ${OF_USER} ${ITS_OPEN_PARTY(credential)} ${join}
  WHERE ${credential.scopeWithoutIndex} AND ${credential.id} = :by`,
);

export const USER_TO_SIGN_IN = eachNameForm(user, (name) =>
  eachWithGroups<SignInRow>(
    (groups, join) =>
      `SELECT ${DESCRIPTOR}, ${UV_INITIALIZED}, ${credential.select('signCount', 'lastUsedAt')}${groups}
  FROM ${user.from} JOIN ${credential.from} ON ${OF_USER} AND ${credential.enabled} = 1 ${ITS_OPEN_PARTY(user)} ${join}
  WHERE ${user.scope} AND ${name} = :by AND ${user.suspendedBy} IS NULL`,
  ),
);

export const CREDENTIAL_BY_HASH = sql<Scope & { credentialHash: Buffer }, CredentialRow>(
  `SELECT ${user.id} AS userId,
    ${user.select('username', 'displayName', 'userHandle', 'suspendedBy', 'lockouts')},
    ${credential.select('id', 'credentialHash', 'publicKey', 'signCount', 'aaguid', 'backupEligible')},
    ${credential.select('attestationTrusted', 'enabled', 'refusedWith', 'lastUsedAt')},
    ${credential.select('madeUnderAuthority', 'disablings')}, ${UV_INITIALIZED}
  FROM ${credential.from} JOIN ${user.from} ON ${OF_USER} ${ITS_OPEN_PARTY(credential)}
  WHERE ${credential.scope} AND ${credential.credentialHash} = :credentialHash`,
  SMALL,
);

/** The users of a credential ID at these relying parties, whose search must leave out those that may not be seen. */
export const OWNERS_OF_HASH = sql<
  { ids: readonly Buffer[]; credentialHash: Buffer },
  Pick<Credential, 'relyingPartyId' | 'deviceName'> & { username: Buffer }
>(
  `SELECT ${credential.select('relyingPartyId', 'deviceName')}, ${user.select('username')}
  FROM ${credential.from} JOIN ${user.from} ON ${OF_USER}
  WHERE ${credential.relyingPartyId} IN (:...ids) AND ${credential.credentialHash} = :credentialHash`,
);

/** The user whose keys have this handle, which is not the user's own. */
export const OWNER_OF_HANDLE = sql<Scope & { handle: Buffer }, { userId: Buffer }>(
  `SELECT ${furtherHandles.select('userId')} FROM ${furtherHandles.from}
  WHERE ${furtherHandles.scope} AND ${furtherHandles.handle} = :handle`,
  SMALL,
);

/** A user to store; the folded name counts if the relying party folds names. */
export type NewUser = RowOf<User, 'id' | 'displayName' | 'userHandle', 'username'> &
  RowOf<User, 'subject' | 'createdAt'> & { readonly foldedName: Buffer };

/**
 * The row of the relying party decides at this moment whether the folded name counts, whatever this process has
 * cached.
 */
export const INSERT_USER = sql<Scope & NewUser>(`INSERT INTO ${users.from}
    (${users.list('tenantId', 'relyingPartyId', 'id', 'username', 'displayName', 'userHandle', 'subject', 'createdAt', 'foldedName')})
  SELECT ${relyingParty.tenantId}, ${relyingParty.id}, :id, :username, :displayName, :userHandle, :subject, :createdAt,
    CASE WHEN ${relyingParty.foldsNames} = 1 THEN :foldedName END
  FROM ${relyingParty.from} WHERE ${relyingParty.id} = :relyingPartyId AND ${relyingParty.tenantId} = :tenantId
    AND ${relyingParty.closedAt} = 0
    AND NOT EXISTS (SELECT 1 FROM ${user.from}
      WHERE ${user.relyingPartyId} = ${relyingParty.id} AND ${user.username} = :username)`);

export const RENAME_USER = sql<Scope & { id: Buffer; displayName: string }>(`UPDATE ${users.from}
  SET ${users.displayName} = :displayName WHERE ${users.scope} AND ${users.id} = :id`);

export const USER_BY_SUBJECT = sql<Scope & { subject: Buffer }, { id: Buffer }>(
  `SELECT ${users.id} FROM ${users.from} WHERE ${users.scope} AND ${users.subject} = :subject`,
  SMALL,
);

/** Gives a user ID to a user who has none. */
export const BIND_SUBJECT = sql<Scope & { id: Buffer; subject: Buffer }>(`UPDATE ${users.from}
  SET ${users.subject} = :subject
  WHERE ${users.scope} AND ${users.id} = :id AND ${users.subject} IS NULL`);

/** The columns of a credential that a registration sets. */
const REGISTERED = credentials.except(
  'tenantId',
  'relyingPartyId',
  'userId',
  'enabled',
  'lastUsedAt',
  'importedFrom',
  'disablings',
  ...KEY_STATE,
);

interface NewCredentialRow extends Readonly<Record<(typeof REGISTERED)[number], Param>> {
  readonly userId: Buffer;
  readonly userHandle: Buffer;
  /** Maximum number of credentials of the user, including this one. */
  readonly maxCredentials: number;
  /** How often the user had been locked out when the ceremony began. */
  readonly lockouts: number;
}

const INSERT = `INSERT INTO ${credentials.from}
    (${credentials.list('tenantId', 'relyingPartyId', 'userId', 'enabled', ...REGISTERED)})
  SELECT ${user.list('tenantId', 'relyingPartyId', 'id')}, 1, ${namedParameters(REGISTERED)}
  FROM ${user.from} ${ITS_OPEN_PARTY(user)}
  WHERE ${user.scope} AND ${user.id} = :userId AND ${user.userHandle} = :userHandle
    AND COALESCE(${user.lockouts}, 0) = :lockouts
    AND NOT EXISTS (SELECT 1 FROM ${credential.from}
      WHERE ${credential.relyingPartyId} = ${user.relyingPartyId} AND ${credential.credentialHash} = :credentialHash)
    AND (SELECT COUNT(*) FROM ${credential.from} WHERE ${OF_USER}) < :maxCredentials
    AND NOT EXISTS (SELECT 1 FROM ${credential.from} WHERE ${OF_USER} AND ${credential.deviceName} = :deviceName)`;

export const INSERT_CREDENTIAL = sql<Scope & NewCredentialRow>(INSERT);

/**
 * Whether the user of a credential is not suspended. MySQL locks the user's row, so that a suspension waits for the units
 * that are under way, and others wait for the suspension.
 */
const OF_ACTIVE_USER = (userId: string) => `EXISTS (SELECT 1 FROM ${user.from}
      WHERE ${user.id} = ${userId} AND ${user.suspendedBy} IS NULL)`;

const LOCK_ENABLED = `UPDATE ${credentials.from} SET ${credentials.enabled} = 1
  WHERE ${credentials.scope} AND ${credentials.credentialHash} = :credentialHash
    AND ${credentials.userId} = :userId AND ${credentials.enabled} = 1`;

/** Changes nothing, but waits for others who change the credential, with READ COMMITTED too. */
export const LOCK_ENABLED_CREDENTIAL = sql<Scope & { credentialHash: Buffer; userId: Buffer }>(
  LOCK_ENABLED,
);

/**
 * The same for a unit for which this credential vouches: it finds no row if the credential no longer belongs to this
 * user, or cannot sign in because it is disabled, a rule refuses it, or its user is suspended.
 */
export const LOCK_USABLE_CREDENTIAL = sql<Scope & { credentialHash: Buffer; userId: Buffer }>(
  `${LOCK_ENABLED} AND ${credentials.refusedWith} IS NULL AND ${OF_ACTIVE_USER(':userId')}`,
);

/** `vouchedBy` is the hash of a credential that the user must still have, and that can sign in. */
export const INSERT_VOUCHED_CREDENTIAL = sql<Scope & NewCredentialRow & { vouchedBy: Buffer }>(
  `${INSERT}
    AND EXISTS (SELECT 1 FROM ${vouchingKey.from}
      WHERE ${vouchingKey.userId} = ${user.id} AND ${vouchingKey.relyingPartyId} = ${user.relyingPartyId}
        AND ${vouchingKey.credentialHash} = :vouchedBy AND ${vouchingKey.enabled} = 1
        AND ${vouchingKey.refusedWith} IS NULL)`,
);

interface Use {
  readonly id: Buffer;
  readonly signCount: number;
  readonly backedUp: boolean;
  /** `null` if its user verification does not begin to count. */
  readonly uvInitialized: true | null;
  readonly lastUsedAt: number;
  readonly ceremony: Buffer;
  /** The relying party of the sign-in, which must be open. */
  readonly openPartyId: Buffer;
}

const USE = `UPDATE ${credentials.from}
  SET ${credentials.signCount} = :signCount, ${credentials.backedUp} = :backedUp,
    ${credentials.uvInitialized} = COALESCE(:uvInitialized, ${credentials.uvInitialized}),
    ${credentials.lastUsedAt} = :lastUsedAt, ${credentials.lastCeremony} = :ceremony
  WHERE ${credentials.scope} AND ${credentials.id} = :id AND ${credentials.enabled} IS TRUE
    AND ${credentials.refusedWith} IS NULL AND ${credentials.lastCeremony} <> :ceremony
    AND ${OF_ACTIVE_USER(credentials.userId)}
    AND EXISTS (SELECT 1 FROM ${relyingParty.from} WHERE ${relyingParty.id} = :openPartyId
      AND ${relyingParty.closedAt} = 0)`;

/**
 * A sign-in. With `enabled = 1`, MariaDB would find the row through the index of disabled keys, and lock a part of
 * that too.
 */
export const RECORD_USE = sql<Scope & Use>(USE);

/**
 * A sign-in with a counter that rises, or by an authenticator without a counter: the rule of `counterIncreased` in
 * `webauthn/authentication.ts`. If it changes no row, `SignInRecorder` finds out why.
 */
export const RECORD_RISING_USE = sql<Scope & Use>(`${USE}
    AND (${credentials.signCount} < :signCount OR (${credentials.signCount} = 0 AND :signCount = 0))`);

/** Sets backup eligibility of an imported credential for which it was unknown. */
export const LEARN_BACKUP = sql<Scope & { id: Buffer; backupEligible: boolean }>(`UPDATE
    ${credentials.from} SET ${credentials.backupEligible} = :backupEligible
  WHERE ${credentials.scope} AND ${credentials.id} = :id AND ${credentials.backupEligible} IS NULL`);
