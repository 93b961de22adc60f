import type { Scope } from '../../platform/database/scope.js';
import { select, selectDistinct, sql, type RowOf } from '../../platform/database/statement.js';
import {
  computed,
  forEachKind,
  orNullAll,
  tableOf,
} from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Attestation } from '../attestations/attestation.entity.js';
import { Credential, KEY_STATE } from '../credentials/credential.entity.js';
import { User, FurtherHandle, EarlierName } from '../user.entity.js';
import { DirectoryGroup } from '../groups/directory-group.entity.js';
import { DeletedGroup, UserGroup } from '../groups/user-group.entity.js';
import { DeletedHandle, DeletedKey, DeletedName, Deletion } from './deletion.entity.js';

/*
 * Statements of deletions that can be undone. Those that store a copy precede those that delete, in one unit, so that
 * exactly the deleted rows can be restored.
 */

const deletions = tableOf(Deletion);
const deletion = tableOf(Deletion, 'd');
const deletedKeys = tableOf(DeletedKey);
const deletedKey = tableOf(DeletedKey, 'k');
const deletedHandles = tableOf(DeletedHandle);
const deletedHandle = tableOf(DeletedHandle, 'h');
const deletedNames = tableOf(DeletedName);
const deletedName = tableOf(DeletedName, 'n');
const users = tableOf(User);
const user = tableOf(User, 'u');
const credentials = tableOf(Credential);
const credential = tableOf(Credential, 'c');
const attestations = tableOf(Attestation);
const attestation = tableOf(Attestation, 'a');
const furtherHandles = tableOf(FurtherHandle);
const earlierNames = tableOf(EarlierName);
const userGroups = tableOf(UserGroup);
const userGroup = tableOf(UserGroup, 'ug');
const deletedGroups = tableOf(DeletedGroup);
const deletedGroup = tableOf(DeletedGroup, 'g');
const directoryGroup = tableOf(DirectoryGroup, 'dg');
const relyingParty = tableOf(RelyingPartyEntity, 'r');

/** The columns of an attestation and of a user that a copy contains besides the owner. */
const PROOF = attestations.except('id', 'tenantId', 'relyingPartyId');
const OF_USER = users.except('id', 'tenantId', 'relyingPartyId', 'username', 'foldedName');

/** The keys that the user has now were registered before the deletion, whatever the clocks of the instances say. */
export const INSERT_DELETION = sql<
  Scope &
    Pick<Deletion, 'id' | 'userId' | 'foldedName' | 'whole' | 'at' | 'reason' | 'occasion'> & {
      account: Buffer;
    }
>(`INSERT INTO ${deletions.from}
    (${deletions.list('tenantId', 'relyingPartyId', 'userId', 'username', ...OF_USER)},
     ${deletions.list('id', 'foldedName', 'whole', 'at', 'account', 'reason', 'occasion')})
  SELECT ${user.list('tenantId', 'relyingPartyId', 'id', 'username', ...OF_USER)},
    :id, :foldedName, :whole,
    (SELECT CASE WHEN MAX(${credential.registeredAt}) > :at THEN MAX(${credential.registeredAt}) ELSE :at END
      FROM ${credential.from} WHERE ${credential.userId} = ${user.id}),
    :account, :reason, :occasion
  FROM ${user.from} WHERE ${user.scope} AND ${user.id} = :userId`);

/** Takes row IDs of credentials. */
export const COPY_KEYS = sql<Scope & { deletionId: Buffer; ids: readonly Buffer[] }>(
  `INSERT INTO ${deletedKeys.from}
    (${deletedKeys.list(...credentials.names, ...PROOF, 'deletionId')})
  SELECT ${credential.list(...credentials.names)}, ${attestation.list(...PROOF)}, :deletionId
  FROM ${credential.from} LEFT JOIN ${attestation.from} ON ${attestation.id} = ${credential.id}
  WHERE ${credential.scopeWithoutIndex} AND ${credential.id} IN (:...ids)`,
);

interface OfUser {
  readonly deletionId: Buffer;
  readonly userId: Buffer;
}

export const COPY_HANDLES = sql<Scope & OfUser>(`INSERT INTO ${deletedHandles.from}
    (${deletedHandles.list('deletionId', 'tenantId', 'relyingPartyId', 'handle')})
  SELECT :deletionId, ${furtherHandles.list('tenantId', 'relyingPartyId', 'handle')}
  FROM ${furtherHandles.from}
  WHERE ${furtherHandles.scopeWithoutIndex} AND ${furtherHandles.userId} = :userId`);

export const COPY_NAMES = sql<Scope & OfUser>(`INSERT INTO ${deletedNames.from}
    (${deletedNames.list('deletionId', 'tenantId', 'relyingPartyId', 'username', 'until')})
  SELECT :deletionId, ${earlierNames.list('tenantId', 'relyingPartyId', 'username', 'until')}
  FROM ${earlierNames.from}
  WHERE ${earlierNames.scopeWithoutIndex} AND ${earlierNames.userId} = :userId`);

const directoryGroupWhere = (name: string) => `(SELECT ${directoryGroup.id}
    FROM ${directoryGroup.from} WHERE ${directoryGroup.scope} AND ${name} = ${userGroup.name})`;

/** While a group changes its name, some members are still members of the former one. */
export const COPY_GROUPS = sql<Scope & OfUser>(`INSERT INTO ${deletedGroups.from}
    (${deletedGroups.list('deletionId', 'tenantId', 'relyingPartyId', 'name', 'directoryGroupId')})
  SELECT :deletionId, ${userGroup.list('tenantId', 'relyingPartyId', 'name')},
    COALESCE(${directoryGroupWhere(directoryGroup.name)},
      ${directoryGroupWhere(directoryGroup.formerName)})
  FROM ${userGroup.from}
  WHERE ${userGroup.scopeWithoutIndex} AND ${userGroup.userId} = :userId`);

type OneDeletion = Scope & { readonly id: Buffer };
interface Since {
  /** Milliseconds since 1970: earlier deletions can no longer be undone. */
  readonly since: number;
}

/** Locks the deletion, without changing it; finds no row if it can no longer be undone. */
export const LOCK_DELETION = sql<OneDeletion & Since>(`UPDATE ${deletions.from}
  SET ${deletions.at} = ${deletions.at}
  WHERE ${deletions.scope} AND ${deletions.id} = :id AND ${deletions.at} > :since`);

/** Locks the enabled or the disabled keys of a deletion, without changing them. */
export const LOCK_DELETED_KEYS = sql<OneDeletion & { enabled: boolean }>(
  `UPDATE ${deletedKeys.from} SET ${deletedKeys.enabled} = :enabled
  WHERE ${deletedKeys.scopeWithoutIndex} AND ${deletedKeys.deletionId} = :id
    AND ${deletedKeys.enabled} = :enabled`,
);

/** Gives a key of a deletion another name before it is restored. */
export const NAME_DELETED_KEY = sql<OneDeletion & { credentialHash: Buffer; deviceName: string }>(
  `UPDATE ${deletedKeys.from} SET ${deletedKeys.deviceName} = :deviceName
  WHERE ${deletedKeys.scopeWithoutIndex} AND ${deletedKeys.deletionId} = :id
    AND ${deletedKeys.credentialHash} = :credentialHash`,
);

const KEY_STATES = select(deletedKeys.pick('id', 'enabled', ...KEY_STATE));

/** Deleted keys of a model after an ID, through their index. */
export const DELETED_KEYS_OF_MODEL = forEachKind((kind) =>
  KEY_STATES.from<Scope & { aaguid: Buffer; after: Buffer; limit: number }>(`
    ${deletedKeys.forceIndex(kind, 'ix_deleted_keys_of_model')}
    WHERE ${deletedKeys.scope} AND ${deletedKeys.aaguid} = :aaguid AND ${deletedKeys.id} > :after
    ORDER BY ${deletedKeys.id} LIMIT :limit`),
);

export const DELETED_KEYS_OF_USER = KEY_STATES.from<Scope & { userId: Buffer }>(`
  ${deletedKeys.from} WHERE ${deletedKeys.scopeWithoutIndex} AND ${deletedKeys.userId} = :userId`);

export type DeletedKeyState = RowOf<typeof DELETED_KEYS_OF_USER>;

/** Locks the row of a user none of whose deleted keys would be restored as enabled, without changing it. */
export const LOCK_USER_WITHOUT_ENABLED_DELETED_KEY = sql<Scope & { userId: Buffer }>(
  `UPDATE ${users.from} SET ${users.createdAt} = ${users.createdAt}
  WHERE ${users.scope} AND ${users.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${deletedKey.from}
      WHERE ${deletedKey.userId} = :userId AND ${deletedKey.enabled} = 1)`,
);

/** Unique keys refuse a name, a handle or a user ID that another user has by now. */
export const RESTORE_USER = sql<OneDeletion>(`INSERT INTO ${users.from}
    (${users.list('id', 'tenantId', 'relyingPartyId', 'username', ...OF_USER, 'foldedName')})
  SELECT ${deletion.list('userId', 'tenantId', 'relyingPartyId', 'username', ...OF_USER)},
    CASE WHEN ${relyingParty.foldsNames} = 1 THEN ${deletion.foldedName} END
  FROM ${deletion.from}
    JOIN ${relyingParty.from} ON ${relyingParty.id} = ${deletion.relyingPartyId}
      AND ${relyingParty.closedAt} = 0
  WHERE ${deletion.scope} AND ${deletion.id} = :id`);

const RESTORED = credentials.except('disablings');

/**
 * Restores keys of a user who exists, has fewer than `fewerThan` and none of the same name, and has registered none
 * since.
 */
export const RESTORE_KEYS = sql<OneDeletion & { fewerThan: number }>(
  `INSERT INTO ${credentials.from} (${credentials.list(...RESTORED, 'disablings')})
  SELECT ${deletedKey.list(...RESTORED)}, COALESCE(${deletedKey.disablings}, 0) + 1
  FROM ${deletedKey.from}
    JOIN ${deletion.from} ON ${deletion.id} = ${deletedKey.deletionId}
    JOIN ${user.from} ON ${user.id} = ${deletedKey.userId}
    JOIN ${relyingParty.from} ON ${relyingParty.id} = ${deletedKey.relyingPartyId}
      AND ${relyingParty.closedAt} = 0
  WHERE ${deletedKey.scopeWithoutIndex} AND ${deletedKey.deletionId} = :id
    AND NOT EXISTS (SELECT 1 FROM ${credential.from}
      WHERE ${credential.userId} = ${deletedKey.userId} AND ${credential.registeredAt} > ${deletion.at})
    AND (SELECT COUNT(*) FROM ${credential.from}
      WHERE ${credential.userId} = ${deletedKey.userId}) < :fewerThan
    AND NOT EXISTS (SELECT 1 FROM ${credential.from}
      WHERE ${credential.userId} = ${deletedKey.userId}
        AND ${credential.deviceName} = ${deletedKey.deviceName})`,
);

export const RESTORE_ATTESTATIONS = sql<OneDeletion>(
  `INSERT INTO ${attestations.from} (${attestations.list(...attestations.names)})
  SELECT ${deletedKey.list(...attestations.names)}
  FROM ${deletedKey.from}
  WHERE ${deletedKey.scopeWithoutIndex} AND ${deletedKey.deletionId} = :id
    AND ${deletedKey.evidence} IS NOT NULL`,
);

const ofItsDeletion = (one: typeof deletedHandle | typeof deletedName) =>
  `FROM ${one.from} JOIN ${deletion.from} ON ${deletion.id} = ${one.deletionId}
  WHERE ${deletion.scope} AND ${deletion.id} = :id`;

export const RESTORE_HANDLES = sql<OneDeletion>(`INSERT INTO ${furtherHandles.from}
    (${furtherHandles.list('tenantId', 'relyingPartyId', 'userId', 'handle')})
  SELECT ${deletion.list('tenantId', 'relyingPartyId', 'userId')}, ${deletedHandle.handle}
  ${ofItsDeletion(deletedHandle)}`);

export const RESTORE_NAMES = sql<OneDeletion>(`INSERT INTO ${earlierNames.from}
    (${earlierNames.list('tenantId', 'relyingPartyId', 'userId', 'username', 'until')})
  SELECT ${deletion.list('tenantId', 'relyingPartyId', 'userId')}, ${deletedName.list('username', 'until')}
  ${ofItsDeletion(deletedName)}`);

/**
 * A user of a directory gets back the groups that the directory still has, by their present names: once, if the user had
 * the former name and the present one when the group was being renamed.
 */
const GROUP_TO_RESTORE = `CASE WHEN ${deletion.directoryJson} IS NULL
    THEN ${deletedGroup.name} ELSE ${directoryGroup.name} END`;
const OF_GROUPS_TO_RESTORE = `${deletedGroup.from}
    JOIN ${deletion.from} ON ${deletion.id} = ${deletedGroup.deletionId}
    LEFT JOIN ${directoryGroup.from} ON ${directoryGroup.id} = ${deletedGroup.directoryGroupId}
  WHERE ${deletion.scope} AND ${deletion.id} = :id
    AND (${deletion.directoryJson} IS NULL OR ${directoryGroup.id} IS NOT NULL)`;

export const RESTORE_GROUPS = sql<OneDeletion>(`INSERT INTO ${userGroups.from}
    (${userGroups.list('tenantId', 'relyingPartyId', 'userId', 'name')})
  SELECT DISTINCT ${deletion.list('tenantId', 'relyingPartyId', 'userId')}, ${GROUP_TO_RESTORE}
  FROM ${OF_GROUPS_TO_RESTORE}`);

export const GROUPS_OF_DELETION = selectDistinct({
  name: computed<Buffer>(GROUP_TO_RESTORE),
}).from<OneDeletion>(OF_GROUPS_TO_RESTORE);

/** Also deletes its copies of keys, handles, names and groups. */
export const END_DELETION = sql<OneDeletion>(
  `DELETE FROM ${deletions.from} WHERE ${deletions.scope} AND ${deletions.id} = :id`,
);

/** A name, and whether its case is ignored. */
export interface NameParams {
  readonly foldedName: Buffer;
  readonly username: Buffer;
  readonly ignoresCase: boolean;
}

const ofName = (
  row: typeof deletions | typeof deletion,
) => `${row.scope} AND ${row.foldedName} = :foldedName
  AND (${row.username} = :username OR 1 = :ignoresCase)`;

/** For users whose name another user has had since. */
export const END_DELETIONS_OF_NAME = sql<Scope & NameParams>(
  `DELETE FROM ${deletions.from} WHERE ${ofName(deletions)} AND ${deletions.whole} = 1`,
);

export const END_DELETIONS_OF_USER = sql<Scope & { userId: Buffer }>(
  `DELETE FROM ${deletions.from} WHERE ${deletions.scopeWithoutIndex} AND ${deletions.userId} = :userId`,
);

/** Deletions in a period, in milliseconds since 1970. */
export const DELETED_USERS_OF_NAME = select(deletions.pick('userId')).from<
  Scope & NameParams & { since: number; until: number }
>(`
  ${deletions.from}
  WHERE ${ofName(deletions)} AND ${deletions.at} > :since AND ${deletions.at} <= :until`);

const shown = (row: typeof deletions) => ({
  ...row.pick('id', 'userId', 'displayName', 'whole', 'at', 'reason', 'occasion'),
  ...row.pick('username', 'account'),
});

const SHOWN_KEY = {
  ...deletedKey.pick('credentialHash', 'enabled', 'deviceName', 'aaguid', 'transports'),
  ...deletedKey.pick('attestationFormat', 'backupEligible'),
};

/** Deletions with one of their keys; a deletion without keys is one row without a key. */
const WITH_KEY = select({ ...shown(deletion), ...orNullAll(SHOWN_KEY) });

const deletionsWhere = (condition: string) => `${deletion.from}
  LEFT JOIN ${deletedKey.from} ON ${deletedKey.deletionId} = ${deletion.id}
  WHERE ${condition} AND ${deletion.at} > :since
  ORDER BY ${deletion.at} DESC, ${deletion.id}, ${deletedKey.registeredAt}, ${deletedKey.id}`;

export const DELETIONS_OF_NAME = WITH_KEY.from<Scope & NameParams & Since>(
  deletionsWhere(`${ofName(deletion)} AND ${deletion.whole} = 1`),
);
export type DeletionRow = RowOf<typeof DELETIONS_OF_NAME>;
export type DeletionKeyRow = DeletionRow & RowOf<typeof SHOWN_KEY>;

/** Which of these relying parties have a deletion of this name. */
export const RELYING_PARTIES_WITH_DELETION = selectDistinct(deletions.pick('relyingPartyId')).from<
  Since & { foldedName: Buffer; ids: readonly Buffer[] }
>(`
  ${deletions.from}
  WHERE ${deletions.relyingPartyId} IN (:...ids) AND ${deletions.foldedName} = :foldedName
    AND ${deletions.at} > :since`);

export const DELETIONS_OF_USER = WITH_KEY.from<Scope & { userId: Buffer } & Since>(
  deletionsWhere(`${deletion.scopeWithoutIndex} AND ${deletion.userId} = :userId`),
);

/** The newest deletions of whole users, without their keys; IDs ascend with time. */
export const RECENT_DELETIONS = select(shown(deletions)).from<Scope & Since & { limit: number }>(`
  ${deletions.from}
  WHERE ${deletions.scope} AND ${deletions.whole} = 1 AND ${deletions.at} > :since
  ORDER BY ${deletions.id} DESC LIMIT :limit`);
export type DeletedUserRow = RowOf<typeof RECENT_DELETIONS>;

export const DELETION = WITH_KEY.from<OneDeletion & Since>(
  deletionsWhere(`${deletion.scopeWithoutIndex} AND ${deletion.id} = :id`),
);

/** At any relying party; the caller removes those that the account may not see. */
export const DELETIONS_OF_OCCASION = select(deletions.pick('id', 'relyingPartyId')).from<
  Since & { occasion: string; limit: number }
>(`
  ${deletions.from} WHERE ${deletions.occasion} = :occasion AND ${deletions.at} > :since
  ORDER BY ${deletions.id} LIMIT :limit`);

export const DELETED_KEY = select(deletedKeys.pick('id')).from<Scope & { credentialHash: Buffer }>(
  `${deletedKeys.from}
  WHERE ${deletedKeys.scope} AND ${deletedKeys.credentialHash} = :credentialHash`,
  { small: true },
);

/** Another user has registered the name, or the user a key, since: the deletion cannot be undone. */
const OVERTAKEN = `(${deletion.whole} = 1 AND EXISTS (SELECT 1 FROM ${user.from}
      WHERE ${user.relyingPartyId} = ${deletion.relyingPartyId}
        AND ${user.username} = ${deletion.username}))
    OR (${deletion.whole} = 1 AND ${relyingParty.foldsNames} = 1 AND EXISTS (SELECT 1 FROM ${user.from}
      WHERE ${user.relyingPartyId} = ${deletion.relyingPartyId}
        AND ${user.foldedName} = ${deletion.foldedName}))
    OR (${deletion.whole} = 0 AND EXISTS (SELECT 1 FROM ${credential.from}
      WHERE ${credential.userId} = ${deletion.userId} AND ${credential.registeredAt} > ${deletion.at}))`;

/** Deletions of all relying parties after an ID, and whether each is over. */
export const DELETIONS_AFTER = select({
  ...deletion.pick('id'),
  isOver: computed<number>(`CASE
    WHEN ${deletion.at} <= :until OR ${relyingParty.closedAt} <> 0 OR ${OVERTAKEN}
    THEN 1 ELSE 0 END`),
}).from<{ until: number; after: Buffer; limit: number }>(
  `${deletion.from} JOIN ${relyingParty.from} ON ${relyingParty.id} = ${deletion.relyingPartyId}
  WHERE ${deletion.id} > :after ORDER BY ${deletion.id} LIMIT :limit`,
  { patienceMs: 10_000 },
);

export const END_DELETIONS = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${deletions.from} WHERE ${deletions.id} IN (:...ids)`,
);
