import { tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Attestation } from '../attestations/attestation.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { EarlierName } from '../earlier-names/earlier-name.entity.js';
import { FurtherHandle } from '../further-handle.entity.js';
import { User } from '../user.entity.js';
import { DeletedHandle } from './deleted-handle.entity.js';
import { DeletedKey } from './deleted-key.entity.js';
import { DeletedName } from './deleted-name.entity.js';
import { Deletion } from './deletion.entity.js';

/*
 * Statements of deletions that can be taken back. Those that keep a copy stand before those that delete, in
 * one unit, so that exactly what was deleted can be restored. Parameters stand in the order of their names
 * in the comments; `rp` is `scopeParams`, `deletion` the ID of one.
 */

const deletion = tableOf(Deletion);
const d = tableOf(Deletion, 'd');
const key = tableOf(DeletedKey);
const k = tableOf(DeletedKey, 'k');
const handle = tableOf(DeletedHandle);
const h = tableOf(DeletedHandle, 'h');
const name = tableOf(DeletedName);
const n = tableOf(DeletedName, 'n');
const user = tableOf(User);
const u = tableOf(User, 'u');
const credential = tableOf(Credential);
const c = tableOf(Credential, 'c');
const attestation = tableOf(Attestation);
const a = tableOf(Attestation, 'a');
const further = tableOf(FurtherHandle);
const f = tableOf(FurtherHandle, 'f');
const earlier = tableOf(EarlierName);
const e = tableOf(EarlierName, 'e');
const r = tableOf(RelyingPartyEntity, 'r');

/** All columns of a credential. */
export const OF_KEY = [
  'tenantId',
  'relyingPartyId',
  'id',
  'userId',
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
  'enabled',
  'registeredAt',
  'lastUsedAt',
  'lastCeremony',
  'importedFrom',
  'refusedWith',
  'disabledBy',
  'disabledByRule',
  'acceptedBy',
  'registrationFlags',
  'attestationAsked',
  'residentKey',
  'serialNumber',
] as const satisfies readonly (keyof Credential)[];

/** All columns of an attestation except those that say whose it is. */
export const PROOF = ['evidence', 'certificates', 'authorities', 'proof', 'uvm'] as const;

export const OF_USER = ['displayName', 'userHandle', 'subject', 'createdAt'] as const;

/** id, folded name, whole, at, account, reason, occasion, rp, user id. */
export const KEEP_DELETION = `INSERT INTO ${deletion.from}
    (${deletion.list('tenantId', 'relyingPartyId', 'userId', 'username', ...OF_USER)},
     ${deletion.list('id', 'foldedName', 'whole', 'at', 'account', 'reason', 'occasion')})
  SELECT ${u.list('tenantId', 'relyingPartyId', 'id', 'username', ...OF_USER)}, ?, ?, ?, ?, ?, ?, ?
  FROM ${u.from} WHERE ${u.positionalScope} AND ${u.id} = ?`;

/** deletion, rp, IDs of credentials' rows. */
export const keepKeys = (ids: readonly unknown[]) => `INSERT INTO ${key.from}
    (${key.list(...OF_KEY, ...PROOF, 'deletionId')})
  SELECT ${c.list(...OF_KEY)}, ${a.list(...PROOF)}, ?
  FROM ${c.from} LEFT JOIN ${a.from} ON ${a.id} = ${c.id}
  WHERE ${c.positionalScopeOfIds} AND ${c.id} IN (${marksOf(ids)})`;

/** deletion, rp, user id. */
export const KEEP_HANDLES = `INSERT INTO ${handle.from}
    (${handle.list('deletionId', 'tenantId', 'relyingPartyId', 'handle')})
  SELECT ?, ${f.list('tenantId', 'relyingPartyId', 'handle')} FROM ${f.from} WHERE ${f.positionalScopeOfIds} AND ${f.userId} = ?`;

/** deletion, rp, user id. */
export const KEEP_NAMES = `INSERT INTO ${name.from}
    (${name.list('deletionId', 'tenantId', 'relyingPartyId', 'username', 'until')})
  SELECT ?, ${e.list('tenantId', 'relyingPartyId', 'username', 'until')} FROM ${e.from} WHERE ${e.positionalScopeOfIds} AND ${e.userId} = ?`;

/** rp, id, since: a guard that locks the deletion; it finds no row where it cannot be taken back any more. */
export const TAKE_BACK = `UPDATE ${deletion.from} SET ${deletion.at} = ${deletion.at}
  WHERE ${deletion.positionalScope} AND ${deletion.id} = ? AND ${deletion.at} > ?`;

/** rp, id: unique keys refuse a name, a handle or a subject that somebody else has by now. */
export const RESTORE_USER = `INSERT INTO ${user.from}
    (${user.list('id', 'tenantId', 'relyingPartyId', 'username', ...OF_USER, 'foldedName')})
  SELECT ${d.list('userId', 'tenantId', 'relyingPartyId', 'username', ...OF_USER)},
    CASE WHEN ${r.foldsNames} = 1 THEN ${d.foldedName} END
  FROM ${d.from} JOIN ${r.from} ON ${r.id} = ${d.relyingPartyId} AND ${r.closedAt} = 0
  WHERE ${d.positionalScope} AND ${d.id} = ?`;

/** rp, deletion, cap: restores keys of a user who exists and has registered none since. */
export const RESTORE_KEYS = `INSERT INTO ${credential.from} (${credential.list(...OF_KEY)})
  SELECT ${k.list(...OF_KEY)}
  FROM ${k.from} JOIN ${d.from} ON ${d.id} = ${k.deletionId} JOIN ${u.from} ON ${u.id} = ${k.userId}
    JOIN ${r.from} ON ${r.id} = ${k.relyingPartyId} AND ${r.closedAt} = 0
  WHERE ${k.positionalScopeOfIds} AND ${k.deletionId} = ?
    AND NOT EXISTS (SELECT 1 FROM ${c.from}
      WHERE ${c.userId} = ${k.userId} AND ${c.registeredAt} > ${d.at})
    AND (SELECT COUNT(*) FROM ${c.from} WHERE ${c.userId} = ${k.userId}) < ?`;

/** rp, deletion. */
export const RESTORE_ATTESTATIONS = `INSERT INTO ${attestation.from}
    (${attestation.list('tenantId', 'relyingPartyId', 'id', ...PROOF)})
  SELECT ${k.list('tenantId', 'relyingPartyId', 'id', ...PROOF)}
  FROM ${k.from} WHERE ${k.positionalScopeOfIds} AND ${k.deletionId} = ? AND ${k.evidence} IS NOT NULL`;

const OF_ITS_DELETION = (one: typeof h | typeof n) =>
  `FROM ${one.from} JOIN ${d.from} ON ${d.id} = ${one.deletionId} WHERE ${d.positionalScope} AND ${d.id} = ?`;

/** rp, deletion. */
export const RESTORE_HANDLES = `INSERT INTO ${further.from}
    (${further.list('tenantId', 'relyingPartyId', 'userId', 'handle')})
  SELECT ${d.list('tenantId', 'relyingPartyId', 'userId')}, ${h.handle} ${OF_ITS_DELETION(h)}`;

/** rp, deletion. */
export const RESTORE_NAMES = `INSERT INTO ${earlier.from}
    (${earlier.list('tenantId', 'relyingPartyId', 'userId', 'username', 'until')})
  SELECT ${d.list('tenantId', 'relyingPartyId', 'userId')}, ${n.list('username', 'until')}
  ${OF_ITS_DELETION(n)}`;

/** rp, id: deletes its copies of keys, handles and names too. */
export const END_DELETION = `DELETE FROM ${deletion.from} WHERE ${deletion.positionalScope} AND ${deletion.id} = ?`;

/** rp, folded name, name, 1 where case is ignored: deletions that concern users of this name. */
const OF_NAME = `${deletion.positionalScope} AND ${deletion.foldedName} = ?
  AND (${deletion.username} = ? OR 1 = ?)`;

/** The parameters of `OF_NAME`: for users whose name somebody else has had since. */
export const END_DELETIONS_OF_NAME = `DELETE FROM ${deletion.from}
  WHERE ${OF_NAME} AND ${deletion.whole} = 1`;

/** rp, user id. */
export const END_DELETIONS_OF_USER = `DELETE FROM ${deletion.from}
  WHERE ${deletion.positionalScopeOfIds} AND ${deletion.userId} = ?`;

/** The parameters of `OF_NAME`: users of this name with deletions that can be taken back. */
export const DELETED_USERS_OF_NAME = `SELECT ${deletion.select('userId')} FROM ${deletion.from}
  WHERE ${OF_NAME}`;

/** One row for each key of a deletion; a deletion without keys is one row without a key. */
const told = (which: string) => `SELECT ${d.select('id', 'userId', 'username', 'displayName')},
    ${d.select('whole', 'at', 'account', 'reason')},
    ${k.select('credentialHash', 'enabled', 'deviceName', 'aaguid')},
    ${k.select('transports', 'attestationFormat', 'backupEligible')}
  FROM ${d.from} LEFT JOIN ${k.from} ON ${k.deletionId} = ${d.id}
  WHERE ${which} AND ${d.at} > ?
  ORDER BY ${d.at} DESC, ${d.id}, ${k.registeredAt}, ${k.id}`;

/** rp, folded name, name, 1 where case is ignored, since: deletions of whole users. */
export const DELETIONS_OF_NAME = told(`${d.positionalScope} AND ${d.foldedName} = ?
  AND (${d.username} = ? OR 1 = ?) AND ${d.whole} = 1`);

/** rp, user id, since: deletions of a user's keys. */
export const DELETIONS_OF_USER = told(`${d.positionalScopeOfIds} AND ${d.userId} = ?`);

/** rp, id, since. */
export const DELETION = told(`${d.positionalScopeOfIds} AND ${d.id} = ?`);

/** occasion, since, limit: at any relying party; the caller leaves out what may not be seen. */
export const DELETIONS_OF_OCCASION = `SELECT ${deletion.select('id', 'relyingPartyId')}
  FROM ${deletion.from} WHERE ${deletion.occasion} = ? AND ${deletion.at} > ?
  ORDER BY ${deletion.id} LIMIT ?`;

/** rp, hash of the credential ID. */
export const DELETED_KEY = `SELECT ${key.id} FROM ${key.from}
  WHERE ${key.positionalScope} AND ${key.credentialHash} = ?`;

/** Somebody has registered the name, or the user a key, since: the deletion cannot be taken back. */
const OVERTAKEN = `(${d.whole} = 1 AND EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.relyingPartyId} = ${d.relyingPartyId} AND ${u.username} = ${d.username}))
    OR (${d.whole} = 1 AND ${r.foldsNames} = 1 AND EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.relyingPartyId} = ${d.relyingPartyId} AND ${u.foldedName} = ${d.foldedName}))
    OR (${d.whole} = 0 AND EXISTS (SELECT 1 FROM ${c.from}
      WHERE ${c.userId} = ${d.userId} AND ${c.registeredAt} > ${d.at}))`;

/** until, id, limit: deletions of all relying parties behind an ID, and whether each is over. */
export const DELETIONS_BEHIND = `SELECT ${d.id},
    CASE WHEN ${d.at} <= ? OR ${r.closedAt} <> 0 OR ${OVERTAKEN} THEN 1 ELSE 0 END AS isOver
  FROM ${d.from} JOIN ${r.from} ON ${r.id} = ${d.relyingPartyId}
  WHERE ${d.id} > ? ORDER BY ${d.id} LIMIT ?`;

/** ids. */
export const endDeletions = (ids: readonly unknown[]) =>
  `DELETE FROM ${deletion.from} WHERE ${deletion.id} IN (${marksOf(ids)})`;
