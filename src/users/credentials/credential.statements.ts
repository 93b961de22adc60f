import {
  computed,
  namedParameters,
  orNull,
  orNullAll,
  tableOf,
} from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import {
  columnsText,
  select,
  sql,
  type Param,
  type RowOf,
  type SelectList,
  type Statement,
} from '../../platform/database/statement.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { DeletedKey } from '../deletions/deletion.entity.js';
import { UserGroup } from '../groups/user-group.entity.js';
import { eachNameForm } from '../name-forms.js';
import { usableKey } from '../sign-in-state.js';
import { User, FurtherHandle } from '../user.entity.js';
import { Credential, KEY_STATE } from './credential.entity.js';

/*
 * The reads and writes of the four calls: one join each. Reads are not sorted, so that reads of several callers can be
 * merged into one statement.
 */

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
export interface EachWithGroups<Row> {
  readonly plain: Statement<By, Row>;
  readonly grouped: Statement<By & { groups: readonly Buffer[] }, Row & WithGroup>;
}

const eachWithGroups = <List extends SelectList>(list: List, text: (join: string) => string) => ({
  plain: select(list).from<By>(text(''), SMALL),
  grouped: select({ ...list, groupName: orNull(group.name) }).from<
    By & { groups: readonly Buffer[] }
  >(text(ITS_GROUPS), SMALL),
});

/**
 * Whether user verification by a key counts. For keys of earlier versions the flag of the registration decides,
 * since a migration must not update a large table.
 */
export const uvInitializedOf = (row: {
  readonly uvInitialized: string;
  readonly userVerified: string;
}): string => `COALESCE(${row.uvInitialized}, ${row.userVerified})`;

const UV_INITIALIZED = { uvInitialized: computed<number>(uvInitializedOf(credential)) };

/** Whether a directory manages a user. */
const IS_OF_DIRECTORY = {
  isOfDirectory: computed<number>(`${user.directoryJson} IS NOT NULL`),
};

/* Columns of both begin calls. Times are milliseconds since 1970. */
const NAMES = { userId: user.id, ...user.pick('username', 'displayName', 'subject') };
const DESCRIPTOR = credential.pick('id', 'credentialId', 'transports', 'registeredAt');
const KEY_NAME = credential.pick('deviceName');

/** A user without credentials is one row without a credential. */
export const USER_WITH_CREDENTIALS = eachNameForm(user, (name) =>
  eachWithGroups(
    {
      ...NAMES,
      ...orNullAll(DESCRIPTOR),
      ...user.pick('userHandle', 'lockouts', 'suspendedBy'),
      ...IS_OF_DIRECTORY,
      ...orNullAll(KEY_NAME),
    },
    (join) => `${user.from}
  LEFT JOIN ${credential.from} ON ${OF_USER} ${ITS_OPEN_PARTY(user)} ${join}
  WHERE ${user.scope} AND ${name} = :by`,
  ),
);
export type KnownUserRow = RowOf<(typeof USER_WITH_CREDENTIALS)['exact']['plain']>;
export type KnownKeyRow = KnownUserRow & RowOf<typeof DESCRIPTOR> & RowOf<typeof KEY_NAME>;

const ANSWERED = ['id', 'credentialId', 'deviceName', 'registeredAt', 'origin', 'addedAt'] as const;
const isDeleted = (value: 0 | 1) => ({ isDeleted: computed<number>(`${value}`) });
const DELETED_KEY = { ...deletedKeys.pick(...ANSWERED), ...isDeleted(1) };

/** All of the user's credentials, including disabled ones and those whose deletion can be undone. */
export const ALL_KEYS_OF_USER = select({ ...credentials.pick(...ANSWERED), ...isDeleted(0) }).from<
  Scope & { userId: Buffer }
>(
  `${credentials.from} WHERE ${credentials.scope} AND ${credentials.userId} = :userId
  UNION ALL SELECT ${columnsText(DELETED_KEY)}
  FROM ${deletedKeys.from} WHERE ${deletedKeys.scopeWithoutIndex} AND ${deletedKeys.userId} = :userId`,
  SMALL,
);
/** A key for the answer of a ceremony. */
export type AnsweredKeyRow = RowOf<typeof ALL_KEYS_OF_USER>;

export const USER_BY_ID = select({
  ...user.pick('username', 'displayName', 'userHandle', 'subject', 'lockouts', 'suspendedBy'),
  ...IS_OF_DIRECTORY,
}).from<Scope & { userId: Buffer }>(
  `${user.from} ${ITS_OPEN_PARTY(user)} WHERE ${user.scope} AND ${user.id} = :userId`,
  SMALL,
);
export type AnsweredUserRow = RowOf<typeof USER_BY_ID>;

/** The user of a credential, and since when its user verification counts. */
export const OWNER_OF_CREDENTIAL = eachWithGroups(
  {
    ...user.pick('id', 'username', 'displayName', 'userHandle', 'subject', 'suspendedBy'),
    ...UV_INITIALIZED,
    ...credential.pick('userVerified', 'registeredAt', 'lastUsedAt'),
  },
  (
    join,
  ) => `${credential.from} JOIN ${user.from} ON ${OF_USER} ${ITS_OPEN_PARTY(credential)} ${join}
  WHERE ${credential.scopeWithoutIndex} AND ${credential.id} = :by`,
);

export const USER_TO_SIGN_IN = eachNameForm(user, (name) =>
  eachWithGroups(
    { ...NAMES, ...DESCRIPTOR, ...UV_INITIALIZED, ...credential.pick('signCount', 'lastUsedAt') },
    (join) => `${user.from}
  JOIN ${credential.from} ON ${OF_USER} AND ${credential.enabled} = 1 ${ITS_OPEN_PARTY(user)} ${join}
  WHERE ${user.scope} AND ${name} = :by AND ${user.suspendedBy} IS NULL`,
  ),
);

export const CREDENTIAL_BY_HASH = select({
  userId: user.id,
  ...user.pick('username', 'displayName', 'userHandle', 'suspendedBy', 'lockouts'),
  ...credential.pick('id', 'credentialHash', 'publicKey', 'signCount', 'aaguid', 'backupEligible'),
  ...credential.pick('attestationTrusted', 'enabled', 'refusedWith', 'lastUsedAt'),
  ...credential.pick('madeUnderAuthority', 'disablings'),
  ...UV_INITIALIZED,
}).from<Scope & { credentialHash: Buffer }>(
  `${credential.from} JOIN ${user.from} ON ${OF_USER} ${ITS_OPEN_PARTY(credential)}
  WHERE ${credential.scope} AND ${credential.credentialHash} = :credentialHash`,
  SMALL,
);

/** The users of a credential ID at these relying parties, whose search must leave out those that may not be seen. */
export const OWNERS_OF_HASH = select({
  ...credential.pick('relyingPartyId', 'deviceName'),
  ...user.pick('username'),
}).from<{ ids: readonly Buffer[]; credentialHash: Buffer }>(`
  ${credential.from} JOIN ${user.from} ON ${OF_USER}
  WHERE ${credential.relyingPartyId} IN (:...ids) AND ${credential.credentialHash} = :credentialHash`);

/** The user whose keys have this handle, which is not the user's own. */
export const OWNER_OF_HANDLE = select(furtherHandles.pick('userId')).from<
  Scope & { handle: Buffer }
>(
  `${furtherHandles.from} WHERE ${furtherHandles.scope} AND ${furtherHandles.handle} = :handle`,
  SMALL,
);

/** A user to store; the folded name counts if the relying party folds names. */
export interface NewUser extends Pick<
  User,
  'id' | 'displayName' | 'userHandle' | 'subject' | 'createdAt'
> {
  readonly username: Buffer;
  readonly foldedName: Buffer;
}

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

export const USER_BY_SUBJECT = select(users.pick('id')).from<Scope & { subject: Buffer }>(
  `${users.from} WHERE ${users.scope} AND ${users.subject} = :subject`,
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
  'addedAt',
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

/** `addedAt` of a new key of the user `u`: this time, or that of the user's last sign-in if it is later. */
export const addedAtOr = (at: string): string => `(SELECT
      CASE WHEN MAX(${credential.lastUsedAt}) > ${at} THEN MAX(${credential.lastUsedAt}) ELSE ${at} END
    FROM ${credential.from} WHERE ${OF_USER})`;

const INSERT = `INSERT INTO ${credentials.from}
    (${credentials.list('tenantId', 'relyingPartyId', 'userId', 'enabled', 'addedAt', ...REGISTERED)})
  SELECT ${user.list('tenantId', 'relyingPartyId', 'id')}, 1, ${addedAtOr(':registeredAt')},
    ${namedParameters(REGISTERED)}
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

const LOCK = `UPDATE ${credentials.from} SET ${credentials.enabled} = 1
  WHERE ${credentials.scope} AND ${credentials.credentialHash} = :credentialHash
    AND ${credentials.userId} = :userId`;

/** Changes nothing, but waits for others who change the credential, with READ COMMITTED too. */
export const LOCK_ENABLED_CREDENTIAL = sql<Scope & { credentialHash: Buffer; userId: Buffer }>(
  `${LOCK} AND ${credentials.enabled} = 1`,
);

/**
 * The same for a unit for which this credential vouches: it finds no row if the credential no longer belongs to this
 * user, or cannot sign in because it is disabled, a rule refuses it, or its user is suspended.
 */
export const LOCK_USABLE_CREDENTIAL = sql<Scope & { credentialHash: Buffer; userId: Buffer }>(
  `${LOCK} AND ${usableKey(credentials)} AND ${OF_ACTIVE_USER(':userId')}`,
);

/** `vouchedBy` is the hash of a credential that the user must still have, and that can sign in. */
export const INSERT_VOUCHED_CREDENTIAL = sql<Scope & NewCredentialRow & { vouchedBy: Buffer }>(
  `${INSERT}
    AND EXISTS (SELECT 1 FROM ${vouchingKey.from}
      WHERE ${vouchingKey.userId} = ${user.id} AND ${vouchingKey.relyingPartyId} = ${user.relyingPartyId}
        AND ${vouchingKey.credentialHash} = :vouchedBy AND ${usableKey(vouchingKey)})`,
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
    ${credentials.lastUsedAt} = CASE WHEN ${credentials.addedAt} > :lastUsedAt
      THEN ${credentials.addedAt} ELSE :lastUsedAt END, ${credentials.lastCeremony} = :ceremony
  WHERE ${credentials.scope} AND ${credentials.id} = :id AND ${credentials.enabled} IS TRUE
    AND ${credentials.refusedWith} IS NULL AND ${credentials.lastCeremony} <> :ceremony
    AND ${OF_ACTIVE_USER(credentials.userId)}
    AND EXISTS (SELECT 1 FROM ${relyingParty.from} WHERE ${relyingParty.id} = :openPartyId
      AND ${relyingParty.closedAt} = 0)`;

/**
 * A sign-in by a usable key. With the `enabled = 1` of `usableKey`, MariaDB would find the row through the index of
 * disabled keys, and lock a part of that too.
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
