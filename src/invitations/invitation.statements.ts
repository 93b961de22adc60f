import { tableOf } from '../platform/database/entities/table.js';
import { MAX_BEGUN, MAX_WRONG_NAMES } from './invitation-state.js';
import { Invitation } from './invitation.entity.js';

/*
 * Limits are checked in the statements, not before them: of parallel tries no more succeed than are left.
 * Comments name the parameters in their order; `rp` is `scopeParams`.
 */

const invitation = tableOf(Invitation);

/** rp, id, keys made: the invitation is as it was read. */
const AS_READ = `${invitation.positionalScope} AND ${invitation.id} = ? AND ${invitation.endedAt} IS NULL
    AND ${invitation.keysMade} = ? AND ${invitation.keysMade} < ${invitation.minKeys}
    AND ${invitation.wrongNames} < ${MAX_WRONG_NAMES}`;

/** rp, id, keys made, now: counts a registration that begins. */
export const BEGIN_WITH_INVITATION = `UPDATE ${invitation.from}
  SET ${invitation.begun} = ${invitation.begun} + 1
  WHERE ${AS_READ} AND ${invitation.expiresAt} > ? AND ${invitation.begun} < ${MAX_BEGUN}`;

/** rp, id, keys made: without the expiry, since a registration may end later that was begun in time. */
export const COUNT_KEY = `UPDATE ${invitation.from}
  SET ${invitation.keysMade} = ${invitation.keysMade} + 1, ${invitation.begun} = 0
  WHERE ${AS_READ}`;

/** rp, id: counts a try with a wrong name. */
export const COUNT_WRONG_NAME = `UPDATE ${invitation.from}
  SET ${invitation.wrongNames} = ${invitation.wrongNames} + 1
  WHERE ${invitation.positionalScope} AND ${invitation.id} = ?`;

/** now, rp, id, now: ends an invitation that nothing has ended yet. */
export const REVOKE_INVITATION = `UPDATE ${invitation.from} SET ${invitation.endedAt} = ?
  WHERE ${invitation.positionalScope} AND ${invitation.id} = ? AND ${invitation.endedAt} IS NULL
    AND ${invitation.keysMade} < ${invitation.minKeys} AND ${invitation.expiresAt} > ?`;
