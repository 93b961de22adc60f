import { namedParameters, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { sql, type Param } from '../../platform/database/statement.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { DeletedKey } from '../deletions/deletion.entity.js';
import { FurtherHandle } from '../further-handle.entity.js';
import { eachNameForm } from '../name-forms.js';
import { User } from '../user.entity.js';
import { Credential, KEY_STATE } from './credential.entity.js';

/*
 * The reads and writes of the four calls: one join each. Reads are not sorted, so that reads of several callers can be
 * merged into one statement.
 */

/** Columns of both begin calls. Times are milliseconds since 1970. */
type DescriptorRow = RowOf<User, 'displayName' | 'externalId', 'username'> &
  RowOf<Credential, 'userId' | 'credentialId' | 'transports' | 'registeredAt'>;

/** A user without credentials is one row without a credential. */
export type KnownUserRow = DescriptorRow &
  RowOf<User, 'userHandle'> &
  RowOf<Credential, 'deviceName'> & { readonly id: Buffer | null };

/** `uvInitializedOf` a credential. */
interface Verification {
  readonly uvInitialized: number;
}

export type SignInRow = DescriptorRow & RowOf<Credential, 'id'> & Verification;

export type AnsweredUserRow = RowOf<User, 'displayName' | 'userHandle' | 'externalId', 'username'>;

type OwnerRow = AnsweredUserRow &
  RowOf<Credential, 'userVerified' | 'registeredAt' | 'lastUsedAt'> &
  Verification;

type CredentialRow = RowOf<User, 'displayName' | 'userHandle', 'username'> &
  RowOf<Credential, 'userId' | 'id' | 'credentialHash' | 'publicKey' | 'signCount' | 'aaguid'> &
  RowOf<Credential, 'backupEligible' | 'attestationTrusted' | 'enabled' | 'madeUnderAuthority'> &
  Verification & { readonly refusedWith: Code | null };

const SMALL = { small: true };

const user = tableOf(User);
const credential = tableOf(Credential);
const u = tableOf(User, 'u');
const c = tableOf(Credential, 'c');
const further = tableOf(FurtherHandle);
const deleted = tableOf(DeletedKey);
const v = tableOf(Credential, 'v');
const r = tableOf(RelyingPartyEntity, 'r');

/** Restricts every statement to open relying parties. */
const ITS_OPEN_PARTY = (row: typeof u | typeof c) =>
  `JOIN ${r.from} ON ${r.id} = ${row.relyingPartyId} AND ${r.closedAt} = 0`;
const OF_USER = `${c.userId} = ${u.id}`;

/**
 * Whether user verification by a key counts. For keys of earlier versions the flag of the registration decides,
 * since a migration must not update a large table.
 */
export const uvInitializedOf = (row: {
  readonly uvInitialized: string;
  readonly userVerified: string;
}): string => `COALESCE(${row.uvInitialized}, ${row.userVerified})`;

const UV_INITIALIZED = `${uvInitializedOf(c)} AS uvInitialized`;

/** Columns of both begin calls. */
const DESCRIPTOR = `${u.id} AS userId, ${u.select('username', 'displayName', 'externalId')},
  ${c.select('id', 'credentialId', 'transports', 'registeredAt')}`;

export const USER_WITH_CREDENTIALS = eachNameForm(u, (name) =>
  sql<Scope & { name: Buffer }, KnownUserRow>(
    `SELECT ${DESCRIPTOR}, ${u.select('userHandle')},
    ${c.select('deviceName')}
  FROM ${u.from} LEFT JOIN ${c.from} ON ${OF_USER} ${ITS_OPEN_PARTY(u)}
  WHERE ${u.scope} AND ${name} = :name`,
    SMALL,
  ),
);

/** All of the user's credentials, including disabled ones and those whose deletion can be undone. */
export const CREDENTIAL_IDS_OF_USER = sql<Scope & { userId: Buffer }, { credentialId: Buffer }>(
  `SELECT ${credential.select('credentialId')}
  FROM ${credential.from} WHERE ${credential.scope} AND ${credential.userId} = :userId
  UNION ALL SELECT ${deleted.select('credentialId')}
  FROM ${deleted.from} WHERE ${deleted.scopeWithoutIndex} AND ${deleted.userId} = :userId`,
  SMALL,
);

/** The columns of a user for an answer. */
export const USER_BY_ID = sql<Scope & { userId: Buffer }, AnsweredUserRow>(
  `SELECT ${u.select('username', 'displayName', 'userHandle', 'externalId')}
  FROM ${u.from} ${ITS_OPEN_PARTY(u)} WHERE ${u.scope} AND ${u.id} = :userId`,
  SMALL,
);

/** The user of a credential, and since when its user verification counts. */
export const OWNER_OF_CREDENTIAL = sql<Scope & { id: Buffer }, OwnerRow>(
  `SELECT
    ${u.select('username', 'displayName', 'userHandle', 'externalId')}, ${UV_INITIALIZED},
    ${c.select('userVerified', 'registeredAt', 'lastUsedAt')}
  FROM ${c.from} JOIN ${u.from} ON ${OF_USER} ${ITS_OPEN_PARTY(c)}
  WHERE ${c.scopeWithoutIndex} AND ${c.id} = :id`,
  SMALL,
);

export const USER_TO_SIGN_IN = eachNameForm(u, (name) =>
  sql<Scope & { name: Buffer }, SignInRow>(
    `SELECT ${DESCRIPTOR}, ${UV_INITIALIZED}
  FROM ${u.from} JOIN ${c.from} ON ${OF_USER} AND ${c.enabled} = 1 ${ITS_OPEN_PARTY(u)}
  WHERE ${u.scope} AND ${name} = :name`,
    SMALL,
  ),
);

export const CREDENTIAL_BY_HASH = sql<Scope & { credentialHash: Buffer }, CredentialRow>(
  `SELECT ${u.id} AS userId,
    ${u.select('username', 'displayName', 'userHandle')},
    ${c.select('id', 'credentialHash', 'publicKey', 'signCount', 'aaguid', 'backupEligible')},
    ${c.select('attestationTrusted', 'enabled', 'refusedWith')},
    ${c.select('madeUnderAuthority')}, ${UV_INITIALIZED}
  FROM ${c.from} JOIN ${u.from} ON ${OF_USER} ${ITS_OPEN_PARTY(c)}
  WHERE ${c.scope} AND ${c.credentialHash} = :credentialHash`,
  SMALL,
);

/** The user whose keys have this handle, which is not the user's own. */
export const OWNER_OF_HANDLE = sql<Scope & { handle: Buffer }, { userId: Buffer }>(
  `SELECT ${further.select('userId')} FROM ${further.from}
  WHERE ${further.scope} AND ${further.handle} = :handle`,
  SMALL,
);

/** A user to store; the folded name counts if the relying party folds names. */
export type NewUser = RowOf<User, 'id' | 'displayName' | 'userHandle', 'username'> &
  RowOf<User, 'externalId' | 'createdAt'> & { readonly foldedName: Buffer };

/**
 * The row of the relying party decides at this moment whether the folded name counts, whatever this process has
 * cached.
 */
export const INSERT_USER = sql<Scope & NewUser>(`INSERT INTO ${user.from}
    (${user.list('tenantId', 'relyingPartyId', 'id', 'username', 'displayName', 'userHandle', 'externalId', 'createdAt', 'foldedName')})
  SELECT ${r.tenantId}, ${r.id}, :id, :username, :displayName, :userHandle, :externalId, :createdAt,
    CASE WHEN ${r.foldsNames} = 1 THEN :foldedName END
  FROM ${r.from} WHERE ${r.id} = :relyingPartyId AND ${r.tenantId} = :tenantId AND ${r.closedAt} = 0
    AND NOT EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.relyingPartyId} = ${r.id} AND ${u.username} = :username)`);

export const RENAME_USER = sql<Scope & { id: Buffer; displayName: string }>(`UPDATE ${user.from}
  SET ${user.displayName} = :displayName WHERE ${user.scope} AND ${user.id} = :id`);

export const USER_BY_EXTERNAL_ID = sql<Scope & { externalId: Buffer }, { id: Buffer }>(
  `SELECT ${user.id} FROM ${user.from} WHERE ${user.scope} AND ${user.externalId} = :externalId`,
  SMALL,
);

/** Gives an external ID to a user who has none. */
export const BIND_EXTERNAL_ID = sql<Scope & { id: Buffer; externalId: Buffer }>(`UPDATE ${user.from}
  SET ${user.externalId} = :externalId
  WHERE ${user.scope} AND ${user.id} = :id AND ${user.externalId} IS NULL`);

/** The columns of a credential that a registration sets. */
const REGISTERED = credential.except(
  'tenantId',
  'relyingPartyId',
  'userId',
  'enabled',
  'lastUsedAt',
  'importedFrom',
  ...KEY_STATE,
);

interface NewCredentialRow extends Readonly<Record<(typeof REGISTERED)[number], Param>> {
  readonly userId: Buffer;
  readonly userHandle: Buffer;
  /** Maximum number of credentials of the user, including this one. */
  readonly maxCredentials: number;
}

const INSERT = `INSERT INTO ${credential.from}
    (${credential.list('tenantId', 'relyingPartyId', 'userId', 'enabled', ...REGISTERED)})
  SELECT ${u.list('tenantId', 'relyingPartyId', 'id')}, 1, ${namedParameters(REGISTERED)}
  FROM ${u.from} ${ITS_OPEN_PARTY(u)}
  WHERE ${u.scope} AND ${u.id} = :userId AND ${u.userHandle} = :userHandle
    AND NOT EXISTS (SELECT 1 FROM ${c.from}
      WHERE ${c.relyingPartyId} = ${u.relyingPartyId} AND ${c.credentialHash} = :credentialHash)
    AND (SELECT COUNT(*) FROM ${c.from} WHERE ${OF_USER}) < :maxCredentials
    AND NOT EXISTS (SELECT 1 FROM ${c.from} WHERE ${OF_USER} AND ${c.deviceName} = :deviceName)`;

export const INSERT_CREDENTIAL = sql<Scope & NewCredentialRow>(INSERT);

/**
 * Changes nothing, but finds no row if the credential no longer belongs to this user or is disabled. In a unit for
 * which this credential vouches, it waits for others who change it, with READ COMMITTED too.
 */
export const LOCK_ENABLED_CREDENTIAL = sql<Scope & { credentialHash: Buffer; userId: Buffer }>(
  `UPDATE ${credential.from} SET ${credential.enabled} = 1
  WHERE ${credential.scope} AND ${credential.credentialHash} = :credentialHash
    AND ${credential.userId} = :userId AND ${credential.enabled} = 1`,
);

/** `vouchedBy` is the hash of a credential that the user must still have, enabled. */
export const INSERT_VOUCHED_CREDENTIAL = sql<Scope & NewCredentialRow & { vouchedBy: Buffer }>(
  `${INSERT}
    AND EXISTS (SELECT 1 FROM ${v.from}
      WHERE ${v.userId} = ${u.id} AND ${v.relyingPartyId} = ${u.relyingPartyId}
        AND ${v.credentialHash} = :vouchedBy AND ${v.enabled} = 1)`,
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

const USE = `UPDATE ${credential.from}
  SET ${credential.signCount} = :signCount, ${credential.backedUp} = :backedUp,
    ${credential.uvInitialized} = COALESCE(:uvInitialized, ${credential.uvInitialized}),
    ${credential.lastUsedAt} = :lastUsedAt, ${credential.lastCeremony} = :ceremony
  WHERE ${credential.scope} AND ${credential.id} = :id AND ${credential.enabled} IS TRUE
    AND ${credential.refusedWith} IS NULL AND ${credential.lastCeremony} <> :ceremony
    AND EXISTS (SELECT 1 FROM ${r.from} WHERE ${r.id} = :openPartyId AND ${r.closedAt} = 0)`;

/**
 * A sign-in. With `enabled = 1`, MariaDB would find the row through the index of disabled keys, and lock a part of
 * that too.
 */
export const RECORD_USE = sql<Scope & Use>(USE);

/** A sign-in with a counter that rises, or by an authenticator without a counter. */
export const RECORD_RISING_USE = sql<Scope & Use>(`${USE}
    AND (${credential.signCount} < :signCount OR (${credential.signCount} = 0 AND :signCount = 0))`);

/** Sets backup eligibility of an imported credential for which it was unknown. */
export const LEARN_BACKUP = sql<Scope & { id: Buffer; backupEligible: boolean }>(`UPDATE
    ${credential.from} SET ${credential.backupEligible} = :backupEligible
  WHERE ${credential.scope} AND ${credential.id} = :id AND ${credential.backupEligible} IS NULL`);
