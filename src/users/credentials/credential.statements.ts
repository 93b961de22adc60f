import { tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Credential } from './credential.entity.js';
import { DeletedKey } from '../deletions/deleted-key.entity.js';
import { FurtherHandle } from '../further-handle.entity.js';
import { User } from '../user.entity.js';

/*
 * What the four calls ask and store: one join each, made when the program starts. Parameters stand
 * in the order of their names in the comments; `rp` is `scopeParams`. What is read is not sorted, so
 * that reads of several callers can go together as one statement.
 */

const user = tableOf(User);
const credential = tableOf(Credential);
const u = tableOf(User, 'u');
const c = tableOf(Credential, 'c');
const further = tableOf(FurtherHandle);
const deleted = tableOf(DeletedKey);
const v = tableOf(Credential, 'v');
const r = tableOf(RelyingPartyEntity, 'r');

/** No statement finds anything of a relying party that is closed. */
const ITS_OPEN_PARTY = (row: typeof u | typeof c) =>
  `JOIN ${r.from} ON ${r.id} = ${row.relyingPartyId} AND ${r.closedAt} = 0`;
const OF_USER = `${c.userId} = ${u.id}`;

/**
 * Whether user verification by a key counts. For keys of earlier versions the flag of the registration says
 * it, since a migration must not fill a large table.
 */
export const uvInitializedOf = (row: {
  readonly uvInitialized: string;
  readonly userVerified: string;
}): string => `COALESCE(${row.uvInitialized}, ${row.userVerified})`;

const UV_INITIALIZED = `${uvInitializedOf(c)} AS uvInitialized`;

/** Columns of both begin calls. */
const DESCRIPTOR = `${u.id} AS userId, ${u.select('username', 'displayName', 'subject')},
  ${c.select('id', 'credentialId', 'transports', 'registeredAt')}`;

const withCredentials = (name: string) => `SELECT ${DESCRIPTOR}, ${u.select('userHandle')},
    ${c.select('deviceName')}
  FROM ${u.from} LEFT JOIN ${c.from} ON ${OF_USER} ${ITS_OPEN_PARTY(u)}
  WHERE ${u.positionalScope} AND ${name} = ?`;

/** rp, username: a user with all credentials; one without any is one row without a credential. */
export const USER_WITH_CREDENTIALS = withCredentials(u.username);

/** rp, folded name: the same in any case. */
export const USER_IN_ANY_CASE = withCredentials(u.foldedName);

/**
 * rp, user id, rp, user id: of all of the user's credentials, disabled ones too, and of those whose deletion
 * can be taken back.
 */
export const CREDENTIAL_IDS_OF_USER = `SELECT ${credential.select('credentialId')}
  FROM ${credential.from} WHERE ${credential.positionalScope} AND ${credential.userId} = ?
  UNION ALL SELECT ${deleted.select('credentialId')}
  FROM ${deleted.from} WHERE ${deleted.positionalScopeOfIds} AND ${deleted.userId} = ?`;

/** rp, user id: what an answer tells of the user. */
export const ACCOUNT_OF_USER = `SELECT ${u.select('username', 'displayName', 'userHandle', 'subject')}
  FROM ${u.from} ${ITS_OPEN_PARTY(u)} WHERE ${u.positionalScope} AND ${u.id} = ?`;

/** rp, id of a credential: its user, and what tells since when its user verification counts. */
export const OWNER_OF_CREDENTIAL = `SELECT
    ${u.select('username', 'displayName', 'userHandle', 'subject')}, ${UV_INITIALIZED},
    ${c.select('userVerified', 'registeredAt', 'lastUsedAt')}
  FROM ${c.from} JOIN ${u.from} ON ${OF_USER} ${ITS_OPEN_PARTY(c)}
  WHERE ${c.positionalScopeOfIds} AND ${c.id} = ?`;

const toSignIn = (name: string) => `SELECT ${DESCRIPTOR}, ${UV_INITIALIZED}
  FROM ${u.from} JOIN ${c.from} ON ${OF_USER} AND ${c.enabled} = 1 ${ITS_OPEN_PARTY(u)}
  WHERE ${u.positionalScope} AND ${name} = ?`;

/** rp, username: a user with the credentials that may sign in. */
export const USER_TO_SIGN_IN = toSignIn(u.username);

/** rp, folded name: the same in any case. */
export const USER_TO_SIGN_IN_IN_ANY_CASE = toSignIn(u.foldedName);

/** rp, credential hash: a credential with its user. */
export const CREDENTIAL_BY_HASH = `SELECT ${u.id} AS userId,
    ${u.select('username', 'displayName', 'userHandle')},
    ${c.select('id', 'credentialHash', 'publicKey', 'signCount', 'aaguid', 'backupEligible')},
    ${c.select('attestationTrusted', 'enabled', 'refusedWith')},
    ${c.select('madeUnderAuthority')}, ${UV_INITIALIZED}
  FROM ${c.from} JOIN ${u.from} ON ${OF_USER} ${ITS_OPEN_PARTY(c)}
  WHERE ${c.positionalScope} AND ${c.credentialHash} = ?`;

/** rp, handle: whose keys carry it besides the user's own. */
export const OWNER_OF_HANDLE = `SELECT ${further.select('userId')} FROM ${further.from}
  WHERE ${further.positionalScope} AND ${further.handle} = ?`;

/**
 * id, username, display name, user handle, subject, created at, folded name, rp, username. The row of the
 * relying party says at this very moment whether the folded name counts, whatever this process knows of it.
 */
export const INSERT_USER = `INSERT INTO ${user.from}
    (${user.list('tenantId', 'relyingPartyId', 'id', 'username', 'displayName', 'userHandle', 'subject', 'createdAt', 'foldedName')})
  SELECT ${r.tenantId}, ${r.id}, ?, ?, ?, ?, ?, ?, CASE WHEN ${r.foldsNames} = 1 THEN ? END
  FROM ${r.from} WHERE ${r.id} = ? AND ${r.tenantId} = ? AND ${r.closedAt} = 0
    AND NOT EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.relyingPartyId} = ${r.id} AND ${u.username} = ?)`;

/** display name, rp, id. */
export const RENAME_USER = `UPDATE ${user.from} SET ${user.displayName} = ?
  WHERE ${user.positionalScope} AND ${user.id} = ?`;

/** rp, subject. */
export const USER_BY_SUBJECT = `SELECT ${user.id} FROM ${user.from}
  WHERE ${user.positionalScope} AND ${user.subject} = ?`;

/** subject, rp, id: of a user who has none. */
export const BIND_SUBJECT = `UPDATE ${user.from} SET ${user.subject} = ?
  WHERE ${user.positionalScope} AND ${user.id} = ? AND ${user.subject} IS NULL`;

/** What a registration says of a credential, in the order of the values. */
export const REGISTERED = [
  'id',
  'credentialId',
  'credentialHash',
  'publicKey',
  'algorithm',
  'signCount',
  'aaguid',
  'deviceName',
  'keypair',
  'transports',
  'attestationFormat',
  'attestationType',
  'attestationTrusted',
  'userVerified',
  'uvInitialized',
  'madeUnderAuthority',
  'backupEligible',
  'backedUp',
  'registeredAt',
  'lastCeremony',
  'registrationFlags',
  'attestationAsked',
  'residentKey',
  'serialNumber',
] as const satisfies readonly (keyof Credential)[];

/** The values of `REGISTERED`, rp, user id, user handle, credential hash, cap. */
export const INSERT_CREDENTIAL = `INSERT INTO ${credential.from}
    (${credential.list('tenantId', 'relyingPartyId', 'userId', 'enabled', ...REGISTERED)})
  SELECT ${u.list('tenantId', 'relyingPartyId', 'id')}, 1, ${REGISTERED.map(() => '?').join(', ')}
  FROM ${u.from} ${ITS_OPEN_PARTY(u)}
  WHERE ${u.positionalScope} AND ${u.id} = ? AND ${u.userHandle} = ?
    AND NOT EXISTS (SELECT 1 FROM ${c.from}
      WHERE ${c.relyingPartyId} = ${u.relyingPartyId} AND ${c.credentialHash} = ?)
    AND (SELECT COUNT(*) FROM ${c.from} WHERE ${OF_USER}) < ?`;

/** The same, and the hash of the credential that vouches. */
export const INSERT_VOUCHED_CREDENTIAL = `${INSERT_CREDENTIAL}
    AND EXISTS (SELECT 1 FROM ${v.from}
      WHERE ${v.userId} = ${u.id} AND ${v.relyingPartyId} = ${u.relyingPartyId}
        AND ${v.credentialHash} = ? AND ${v.enabled} = 1)`;

/**
 * sign count, backed up, 1 where its user verification counts from now on (else null), now, ceremony, rp, id,
 * ceremony, id of rp: a sign-in at an open party. By `enabled = 1` MariaDB would find the row along the index
 * of disabled keys, and lock a part of that too.
 */
export const RECORD_USE = `UPDATE ${credential.from}
  SET ${credential.signCount} = ?, ${credential.backedUp} = ?,
    ${credential.uvInitialized} = COALESCE(?, ${credential.uvInitialized}),
    ${credential.lastUsedAt} = ?, ${credential.lastCeremony} = ?
  WHERE ${credential.positionalScope} AND ${credential.id} = ? AND ${credential.enabled} IS TRUE
    AND ${credential.refusedWith} IS NULL AND ${credential.lastCeremony} <> ?
    AND EXISTS (SELECT 1 FROM ${r.from} WHERE ${r.id} = ? AND ${r.closedAt} = 0)`;

/** The same, and the sign count twice: of a counter that rises, or that no authenticator has. */
export const RECORD_RISING_USE = `${RECORD_USE}
    AND (${credential.signCount} < ? OR (${credential.signCount} = 0 AND ? = 0))`;

/** backup eligible, rp, id: of an imported credential that had not told yet. */
export const LEARN_BACKUP = `UPDATE ${credential.from} SET ${credential.backupEligible} = ?
  WHERE ${credential.positionalScope} AND ${credential.id} = ? AND ${credential.backupEligible} IS NULL`;

/** rp, id: behind the FROM of an event that tells of a credential's end as an enabled one. */
export const ENABLED_CREDENTIAL = `${credential.from}
  WHERE ${credential.positionalScope} AND ${credential.id} = ? AND ${credential.enabled} = 1`;

/** disabled by, rp, id: whoever disabled the credential before stays recorded. */
export const DISABLE_CREDENTIAL = `UPDATE ${credential.from}
  SET ${credential.enabled} = 0, ${credential.disabledBy} = COALESCE(${credential.disabledBy}, ?)
  WHERE ${credential.positionalScope} AND ${credential.id} = ?`;
