import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { eachKind, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Attestation } from '../attestations/attestation.entity.js';
import { Credential, KEY_STATE } from '../credentials/credential.entity.js';
import { EarlierName } from '../earlier-names/earlier-name.entity.js';
import { FurtherHandle } from '../further-handle.entity.js';
import { User } from '../user.entity.js';
import { DeletedHandle, DeletedKey, DeletedName, Deletion } from './deletion.entity.js';

/*
 * Statements of deletions that can be undone. Those that store a copy precede those that delete, in one unit, so that
 * exactly the deleted rows can be restored.
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

/** The columns of an attestation and of a user that a copy contains besides the owner. */
const PROOF = attestation.except('id', 'tenantId', 'relyingPartyId');
const OF_USER = user.except('id', 'tenantId', 'relyingPartyId', 'username', 'foldedName');

type NewDeletion = Pick<Deletion, 'id' | 'userId' | 'foldedName' | 'whole' | 'at'> &
  RowOf<Deletion, 'reason' | 'occasion', 'account'>;

export const KEEP_DELETION = sql<Scope & NewDeletion>(`INSERT INTO ${deletion.from}
    (${deletion.list('tenantId', 'relyingPartyId', 'userId', 'username', ...OF_USER)},
     ${deletion.list('id', 'foldedName', 'whole', 'at', 'account', 'reason', 'occasion')})
  SELECT ${u.list('tenantId', 'relyingPartyId', 'id', 'username', ...OF_USER)},
    :id, :foldedName, :whole, :at, :account, :reason, :occasion
  FROM ${u.from} WHERE ${u.scope} AND ${u.id} = :userId`);

/** Takes row IDs of credentials. */
export const KEEP_KEYS = sql<Scope & { deletionId: Buffer; ids: readonly Buffer[] }>(
  `INSERT INTO ${key.from} (${key.list(...credential.names, ...PROOF, 'deletionId')})
  SELECT ${c.list(...credential.names)}, ${a.list(...PROOF)}, :deletionId
  FROM ${c.from} LEFT JOIN ${a.from} ON ${a.id} = ${c.id}
  WHERE ${c.scopeOfIds} AND ${c.id} IN (:...ids)`,
);

interface OfUser {
  readonly deletionId: Buffer;
  readonly userId: Buffer;
}

export const KEEP_HANDLES = sql<Scope & OfUser>(`INSERT INTO ${handle.from}
    (${handle.list('deletionId', 'tenantId', 'relyingPartyId', 'handle')})
  SELECT :deletionId, ${f.list('tenantId', 'relyingPartyId', 'handle')}
  FROM ${f.from} WHERE ${f.scopeOfIds} AND ${f.userId} = :userId`);

export const KEEP_NAMES = sql<Scope & OfUser>(`INSERT INTO ${name.from}
    (${name.list('deletionId', 'tenantId', 'relyingPartyId', 'username', 'until')})
  SELECT :deletionId, ${e.list('tenantId', 'relyingPartyId', 'username', 'until')}
  FROM ${e.from} WHERE ${e.scopeOfIds} AND ${e.userId} = :userId`);

type OneDeletion = Scope & { readonly id: Buffer };
interface Since {
  /** Milliseconds since 1970: earlier deletions can no longer be undone. */
  readonly since: number;
}

/** A guard that locks the deletion; it finds no row if it can no longer be undone. */
export const TAKE_BACK = sql<OneDeletion & Since>(`UPDATE ${deletion.from}
  SET ${deletion.at} = ${deletion.at}
  WHERE ${deletion.scope} AND ${deletion.id} = :id AND ${deletion.at} > :since`);

/** Guard: touches the enabled or the disabled keys of a deletion, without changing them. */
export const STILL_IN_STATE = sql<OneDeletion & { enabled: boolean }>(`UPDATE ${key.from}
  SET ${key.enabled} = :enabled
  WHERE ${key.scopeOfIds} AND ${key.deletionId} = :id AND ${key.enabled} = :enabled`);

type DeletedKeyState = RowOf<DeletedKey, 'id' | 'enabled' | (typeof KEY_STATE)[number]>;

/** Deleted keys of a model after an ID, through their index. */
export const DELETED_KEYS_OF_MODEL = eachKind((kind) =>
  sql<Scope & { aaguid: Buffer; behind: Buffer; limit: number }, DeletedKeyState>(
    `SELECT ${key.select('id', 'enabled', ...KEY_STATE)}
    FROM ${key.along(kind, 'ix_deleted_keys_of_model')}
    WHERE ${key.scope} AND ${key.aaguid} = :aaguid AND ${key.id} > :behind
    ORDER BY ${key.id} LIMIT :limit`,
  ),
);

export const DELETED_KEYS_OF_USER = sql<Scope & { userId: Buffer }, DeletedKeyState>(
  `SELECT ${key.select('id', 'enabled', ...KEY_STATE)}
  FROM ${key.from} WHERE ${key.scopeOfIds} AND ${key.userId} = :userId`,
);

/** Guard: touches the row of a user none of whose deleted keys would be restored as enabled, without changing it. */
export const HAS_NO_ENABLED_DELETED_KEY = sql<Scope & { userId: Buffer }>(
  `UPDATE ${user.from} SET ${user.createdAt} = ${user.createdAt}
  WHERE ${user.scope} AND ${user.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${k.from} WHERE ${k.userId} = :userId AND ${k.enabled} = 1)`,
);

/** Whether a user has a deleted key that would be restored as enabled, or a key besides these. */
export const HAS_MORE_KEYS = sql<
  Scope & { userId: Buffer; ids: readonly Buffer[] },
  { id: Buffer }
>(`SELECT ${u.id} FROM ${u.from} WHERE ${u.scopeOfIds} AND ${u.id} = :userId
    AND (EXISTS (SELECT 1 FROM ${k.from} WHERE ${k.userId} = ${u.id} AND ${k.enabled} = 1)
      OR EXISTS (SELECT 1 FROM ${c.from} WHERE ${c.userId} = ${u.id} AND ${c.id} NOT IN (:...ids)))`);

/** Unique keys refuse a name, a handle or a subject that another user has by now. */
export const RESTORE_USER = sql<OneDeletion>(`INSERT INTO ${user.from}
    (${user.list('id', 'tenantId', 'relyingPartyId', 'username', ...OF_USER, 'foldedName')})
  SELECT ${d.list('userId', 'tenantId', 'relyingPartyId', 'username', ...OF_USER)},
    CASE WHEN ${r.foldsNames} = 1 THEN ${d.foldedName} END
  FROM ${d.from} JOIN ${r.from} ON ${r.id} = ${d.relyingPartyId} AND ${r.closedAt} = 0
  WHERE ${d.scope} AND ${d.id} = :id`);

/** Restores keys of a user who exists, has fewer than `cap`, and has registered none since. */
export const RESTORE_KEYS = sql<OneDeletion & { cap: number }>(
  `INSERT INTO ${credential.from} (${credential.list(...credential.names)})
  SELECT ${k.list(...credential.names)}
  FROM ${k.from} JOIN ${d.from} ON ${d.id} = ${k.deletionId} JOIN ${u.from} ON ${u.id} = ${k.userId}
    JOIN ${r.from} ON ${r.id} = ${k.relyingPartyId} AND ${r.closedAt} = 0
  WHERE ${k.scopeOfIds} AND ${k.deletionId} = :id
    AND NOT EXISTS (SELECT 1 FROM ${c.from}
      WHERE ${c.userId} = ${k.userId} AND ${c.registeredAt} > ${d.at})
    AND (SELECT COUNT(*) FROM ${c.from} WHERE ${c.userId} = ${k.userId}) < :cap`,
);

export const RESTORE_ATTESTATIONS = sql<OneDeletion>(
  `INSERT INTO ${attestation.from} (${attestation.list(...attestation.names)})
  SELECT ${k.list(...attestation.names)}
  FROM ${k.from} WHERE ${k.scopeOfIds} AND ${k.deletionId} = :id AND ${k.evidence} IS NOT NULL`,
);

const OF_ITS_DELETION = (one: typeof h | typeof n) =>
  `FROM ${one.from} JOIN ${d.from} ON ${d.id} = ${one.deletionId} WHERE ${d.scope} AND ${d.id} = :id`;

export const RESTORE_HANDLES = sql<OneDeletion>(`INSERT INTO ${further.from}
    (${further.list('tenantId', 'relyingPartyId', 'userId', 'handle')})
  SELECT ${d.list('tenantId', 'relyingPartyId', 'userId')}, ${h.handle} ${OF_ITS_DELETION(h)}`);

export const RESTORE_NAMES = sql<OneDeletion>(`INSERT INTO ${earlier.from}
    (${earlier.list('tenantId', 'relyingPartyId', 'userId', 'username', 'until')})
  SELECT ${d.list('tenantId', 'relyingPartyId', 'userId')}, ${n.list('username', 'until')}
  ${OF_ITS_DELETION(n)}`);

/** Also deletes its copies of keys, handles and names. */
export const END_DELETION = sql<OneDeletion>(
  `DELETE FROM ${deletion.from} WHERE ${deletion.scope} AND ${deletion.id} = :id`,
);

/** A name, and whether its case is ignored. */
export interface NameParams {
  readonly foldedName: Buffer;
  readonly username: Buffer;
  readonly ignoresCase: boolean;
}

const ofName = (
  row: typeof deletion | typeof d,
) => `${row.scope} AND ${row.foldedName} = :foldedName
  AND (${row.username} = :username OR 1 = :ignoresCase)`;

/** For users whose name another user has had since. */
export const END_DELETIONS_OF_NAME = sql<Scope & NameParams>(
  `DELETE FROM ${deletion.from} WHERE ${ofName(deletion)} AND ${deletion.whole} = 1`,
);

export const END_DELETIONS_OF_USER = sql<Scope & { userId: Buffer }>(
  `DELETE FROM ${deletion.from} WHERE ${deletion.scopeOfIds} AND ${deletion.userId} = :userId`,
);

/** Deletions in a period, in milliseconds since 1970. */
export const DELETED_USERS_OF_NAME = sql<
  Scope & NameParams & { since: number; until: number },
  { userId: Buffer }
>(`SELECT ${deletion.select('userId')} FROM ${deletion.from}
  WHERE ${ofName(deletion)} AND ${deletion.at} > :since AND ${deletion.at} <= :until`);

const SHOWN = ['id', 'userId', 'displayName', 'whole', 'at', 'reason'] as const;
const SHOWN_OF_KEY = [
  'credentialHash',
  'enabled',
  'deviceName',
  'aaguid',
  'transports',
  'attestationFormat',
  'backupEligible',
] as const;

export type DeletedUserRow = RowOf<Deletion, (typeof SHOWN)[number], 'username' | 'account'>;
type ItsKey = RowOf<DeletedKey, (typeof SHOWN_OF_KEY)[number]>;

/** A deletion with one of its keys; a deletion without keys is one row without a key. */
export type DeletionRow = DeletedUserRow & (ItsKey | { readonly [K in keyof ItsKey]: null });

const deletionsWhere = (condition: string) => `SELECT
    ${d.select(...SHOWN, 'username', 'account')}, ${k.select(...SHOWN_OF_KEY)}
  FROM ${d.from} LEFT JOIN ${k.from} ON ${k.deletionId} = ${d.id}
  WHERE ${condition} AND ${d.at} > :since
  ORDER BY ${d.at} DESC, ${d.id}, ${k.registeredAt}, ${k.id}`;

export const DELETIONS_OF_NAME = sql<Scope & NameParams & Since, DeletionRow>(
  deletionsWhere(`${ofName(d)} AND ${d.whole} = 1`),
);

export const DELETIONS_OF_USER = sql<Scope & { userId: Buffer } & Since, DeletionRow>(
  deletionsWhere(`${d.scopeOfIds} AND ${d.userId} = :userId`),
);

/** The newest deletions of whole users, without their keys; IDs ascend with time. */
export const RECENT_DELETIONS = sql<Scope & Since & { limit: number }, DeletedUserRow>(`SELECT
    ${deletion.select(...SHOWN, 'username', 'account')}
  FROM ${deletion.from}
  WHERE ${deletion.scope} AND ${deletion.whole} = 1 AND ${deletion.at} > :since
  ORDER BY ${deletion.id} DESC LIMIT :limit`);

export const DELETION = sql<OneDeletion & Since, DeletionRow>(
  deletionsWhere(`${d.scopeOfIds} AND ${d.id} = :id`),
);

/** At any relying party; the caller removes those that the account may not see. */
export const DELETIONS_OF_OCCASION = sql<
  Since & { occasion: string; limit: number },
  { id: Buffer; relyingPartyId: Buffer }
>(`SELECT ${deletion.select('id', 'relyingPartyId')}
  FROM ${deletion.from} WHERE ${deletion.occasion} = :occasion AND ${deletion.at} > :since
  ORDER BY ${deletion.id} LIMIT :limit`);

export const DELETED_KEY = sql<Scope & { credentialHash: Buffer }, { id: Buffer }>(
  `SELECT ${key.id} FROM ${key.from}
  WHERE ${key.scope} AND ${key.credentialHash} = :credentialHash`,
  { small: true },
);

/** Another user has registered the name, or the user a key, since: the deletion cannot be undone. */
const OVERTAKEN = `(${d.whole} = 1 AND EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.relyingPartyId} = ${d.relyingPartyId} AND ${u.username} = ${d.username}))
    OR (${d.whole} = 1 AND ${r.foldsNames} = 1 AND EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.relyingPartyId} = ${d.relyingPartyId} AND ${u.foldedName} = ${d.foldedName}))
    OR (${d.whole} = 0 AND EXISTS (SELECT 1 FROM ${c.from}
      WHERE ${c.userId} = ${d.userId} AND ${c.registeredAt} > ${d.at}))`;

/** Deletions of all relying parties after an ID, and whether each is over. */
export const DELETIONS_BEHIND = sql<
  { until: number; behind: Buffer; limit: number },
  { id: Buffer; isOver: number }
>(
  `SELECT ${d.id},
    CASE WHEN ${d.at} <= :until OR ${r.closedAt} <> 0 OR ${OVERTAKEN} THEN 1 ELSE 0 END AS isOver
  FROM ${d.from} JOIN ${r.from} ON ${r.id} = ${d.relyingPartyId}
  WHERE ${d.id} > :behind ORDER BY ${d.id} LIMIT :limit`,
  { patienceMs: 10_000 },
);

export const END_DELETIONS = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${deletion.from} WHERE ${deletion.id} IN (:...ids)`,
);
