import { tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { uvInitializedOf } from '../credentials/credential.statements.js';
import { FurtherHandle } from '../further-handle.entity.js';
import { User } from '../user.entity.js';

/*
 * What exports read and imports read and store, some hundred rows at a time. Parameters stand in the order
 * of their names in the comments; `rp` is `scopeParams`.
 */

const user = tableOf(User);
const u = tableOf(User, 'u');
const credential = tableOf(Credential);
const c = tableOf(Credential, 'c');
const further = tableOf(FurtherHandle);
const r = tableOf(RelyingPartyEntity, 'r');

/**
 * Columns of a credential that imports store, in the order of the values. What a trusted attestation proved
 * here is only exported, and what this server's own findings made of the key stays here.
 */
export const KEPT = [
  'credentialId',
  'publicKey',
  'algorithm',
  'signCount',
  'aaguid',
  'deviceName',
  'keypair',
  'transports',
  'attestationFormat',
  'attestationType',
  'userVerified',
  'uvInitialized',
  'madeUnderAuthority',
  'backupEligible',
  'backedUp',
  'enabled',
  'registeredAt',
  'lastUsedAt',
  'importedFrom',
  'registrationFlags',
  'attestationAsked',
  'residentKey',
] as const satisfies readonly (keyof Credential)[];

const EXPORTED = KEPT.filter((name) => name !== 'uvInitialized');

/** id of rp, name, limit: users behind a name, each with the credentials, along the index of names. */
export const USERS_TO_EXPORT = `SELECT ${u.id} AS userId,
    ${u.select('username', 'displayName', 'userHandle', 'subject', 'createdAt')},
    ${c.select('id', 'attestationTrusted', 'serialNumber', ...EXPORTED)},
    ${uvInitializedOf(c)} AS uvInitialized
  FROM (SELECT ${user.id} FROM ${user.from}
    WHERE ${user.relyingPartyId} = ? AND ${user.username} > ?
    ORDER BY ${user.username} LIMIT ?) k
  JOIN ${u.from} ON ${u.id} = k.id LEFT JOIN ${c.from} ON ${c.userId} = k.id
  ORDER BY ${u.username}, ${c.registeredAt}, ${c.id}`;

/** rp, user IDs. */
export const furtherHandlesOf = (users: readonly unknown[]) =>
  `SELECT ${further.select('userId', 'handle')} FROM ${further.from}
    WHERE ${further.positionalScope} AND ${further.userId} IN (${marksOf(users)}) ORDER BY ${further.handle}`;

const KNOWN = `SELECT ${user.select('id', 'username', 'userHandle', 'subject')},
    (SELECT COUNT(*) FROM ${c.from} WHERE ${c.userId} = ${user.from}.${user.id}) AS credentials
  FROM ${user.from} WHERE ${user.positionalScope}`;

/** rp, names. */
export const usersOfNames = (names: readonly unknown[]) =>
  `${KNOWN} AND ${user.username} IN (${marksOf(names)})`;

/** rp, folded names. */
export const usersOfFoldedNames = (names: readonly unknown[]) =>
  `${KNOWN} AND ${user.foldedName} IN (${marksOf(names)})`;

/** rp, handles. */
export const usersOfHandles = (handles: readonly unknown[]) =>
  `${KNOWN} AND ${user.userHandle} IN (${marksOf(handles)})`;

/** rp, subjects. */
export const usersOfSubjects = (subjects: readonly unknown[]) =>
  `${KNOWN} AND ${user.subject} IN (${marksOf(subjects)})`;

/** rp, handles. */
export const ownersOfHandles = (handles: readonly unknown[]) =>
  `SELECT ${further.select('userId', 'handle')} FROM ${further.from}
    WHERE ${further.positionalScope} AND ${further.handle} IN (${marksOf(handles)})`;

/** rp, credential hashes. */
export const ownersOfCredentials = (hashes: readonly unknown[]) =>
  `SELECT ${credential.select('userId', 'credentialHash')} FROM ${credential.from}
    WHERE ${credential.positionalScope} AND ${credential.credentialHash} IN (${marksOf(hashes)})`;

/** `(?, ?), (?, ?)` */
const marksOfRows = (columns: readonly unknown[], rows: readonly unknown[]) =>
  rows.map(() => `(${marksOf(columns)})`).join(', ');

const NEW_USER = [
  'relyingPartyId',
  'tenantId',
  'id',
  'username',
  'displayName',
  'userHandle',
  'subject',
  'createdAt',
] as const;

const FOLDED_WHERE_IT_COUNTS = `CASE WHEN
    (SELECT ${r.foldsNames} FROM ${r.from} WHERE ${r.id} = ?) = 1 THEN ? END`;

/** For each row: rp, id, username, display name, user handle, subject, created at, id of rp, folded name. */
export const insertUsers = (rows: readonly unknown[]) =>
  `INSERT INTO ${user.from} (${user.list(...NEW_USER, 'foldedName')}) VALUES
    ${rows.map(() => `(${marksOf(NEW_USER)}, ${FOLDED_WHERE_IT_COUNTS})`).join(', ')}`;

const HANDLE = ['relyingPartyId', 'tenantId', 'userId', 'handle'] as const;

/** For each row: rp, user id, handle. */
export const insertHandles = (rows: readonly unknown[]) =>
  `INSERT INTO ${further.from} (${further.list(...HANDLE)}) VALUES ${marksOfRows(HANDLE, rows)}`;

/** Always 0 for an imported key: its attestation was trusted elsewhere, not here. */
const UNTRUSTED = 'attestationTrusted' as const;
const IMPORTED = [
  'id',
  'credentialHash',
  'lastCeremony',
  UNTRUSTED,
  'disabledBy',
  ...KEPT,
] as const;
const OF_USER = ['relyingPartyId', 'tenantId', 'userId'] as const;

/** For each row: rp, user id, id, credential hash, last ceremony, 0, disabled by, `KEPT`; for users made just before. */
export const insertCredentials = (rows: readonly unknown[]) =>
  `INSERT INTO ${credential.from} (${credential.list(...OF_USER, ...IMPORTED)})
    VALUES ${marksOfRows([...OF_USER, ...IMPORTED], rows)}`;

/** id, credential hash, last ceremony, 0, disabled by, `KEPT`, rp, user id, cap: for a user who existed before. */
export const INSERT_CREDENTIAL_OF_USER = `INSERT INTO ${credential.from}
    (${credential.list(...OF_USER, ...IMPORTED)})
  SELECT ${u.list('relyingPartyId', 'tenantId', 'id')}, ${marksOf(IMPORTED)}
  FROM ${u.from} JOIN ${r.from} ON ${r.id} = ${u.relyingPartyId} AND ${r.closedAt} = 0
  WHERE ${u.positionalScope} AND ${u.id} = ?
    AND (SELECT COUNT(*) FROM ${c.from} WHERE ${c.userId} = ${u.id}) < ?`;
