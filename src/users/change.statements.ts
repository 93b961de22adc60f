import type { DatabaseKind } from '../platform/database/columns.js';
import { tableOf } from '../platform/database/entities/table.js';
import { marksOf } from '../platform/database/padded.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Credential } from './credentials/credential.entity.js';
import { User } from './user.entity.js';

const user = tableOf(User);
const r = tableOf(RelyingPartyEntity, 'r');
const credential = tableOf(Credential);

/** folded name: which counts where the relying party says so at this very moment. */
const WHERE_NAMES_ARE_FOLDED = `CASE WHEN (SELECT ${r.foldsNames} FROM ${r.from}
    WHERE ${r.id} = ${user.from}.${user.relyingPartyId}) = 1 THEN ? END`;

/** rp, ids, enabled: these credentials, all of which are in a state that a change ends. */
const theseOf = (ids: readonly Buffer[]) =>
  `${credential.positionalScopeOfIds} AND ${credential.id} IN (${marksOf(ids)}) AND ${credential.enabled} = ?`;

/** Equality for which NULL equals NULL. */
const SAME = { sqlite: 'IS', mysql: '<=>' } as const satisfies Record<DatabaseKind, string>;

/**
 * enabled, disabled by, disabled by rule, accepted by, refused with; rp, ids; and the first five again as they
 * were.
 */
export const setKeyState = (kind: DatabaseKind, ids: readonly Buffer[]) =>
  `UPDATE ${credential.from} SET ${credential.enabled} = ?, ${credential.disabledBy} = ?,
      ${credential.disabledByRule} = ?, ${credential.acceptedBy} = ?, ${credential.refusedWith} = ?
    WHERE ${theseOf(ids)}
      AND ${credential.disabledBy} ${SAME[kind]} ? AND ${credential.disabledByRule} ${SAME[kind]} ?
      AND ${credential.acceptedBy} ${SAME[kind]} ? AND ${credential.refusedWith} ${SAME[kind]} ?`;

export const deleteCredentials = (ids: readonly Buffer[]) =>
  `DELETE FROM ${credential.from} WHERE ${theseOf(ids)}`;

/** rp, id, id: a credential that was registered meanwhile would go with its user, unseen. */
export const DELETE_USER = `DELETE FROM ${user.from} WHERE ${user.positionalScope} AND ${user.id} = ?
  AND NOT EXISTS (SELECT 1 FROM ${credential.from} WHERE ${credential.userId} = ?)`;

/** name, rp, id, user id. */
export const NAME_CREDENTIAL = `UPDATE ${credential.from} SET ${credential.deviceName} = ?
  WHERE ${credential.positionalScope} AND ${credential.id} = ? AND ${credential.userId} = ?`;

/** rp, user id: touches a row for each key that can sign in, and changes none. */
export const LEAVES_A_KEY = `UPDATE ${credential.from} SET ${credential.enabled} = 1
  WHERE ${credential.positionalScope} AND ${credential.userId} = ? AND ${credential.enabled} = 1`;

/** username, display name, folded name, rp, id, username as it was. */
export const CHANGE_NAMES = `UPDATE ${user.from} SET ${user.username} = ?, ${user.displayName} = ?,
    ${user.foldedName} = ${WHERE_NAMES_ARE_FOLDED}
  WHERE ${user.positionalScope} AND ${user.id} = ? AND ${user.username} = ?`;
