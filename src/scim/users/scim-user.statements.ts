import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { User } from '../../users/user.entity.js';

/*
 * These name only the relying party: then the index of creation times contains everything, and no row is read.
 */

const users = tableOf(User);

/** Ten million users take some seconds. */
const PATIENT = { patienceMs: 30_000 };

export const COUNT_USERS_OF = sql<{ relyingPartyId: Buffer }, { n: number }>(
  `SELECT COUNT(*) AS n FROM ${users.from} WHERE ${users.relyingPartyId} = :relyingPartyId`,
  PATIENT,
);

/** A page of the users in the order of their creation. */
export const USER_IDS_FROM = sql<
  { relyingPartyId: Buffer; limit: number; skip: number },
  { id: Buffer }
>(
  `SELECT ${users.id} FROM ${users.from} WHERE ${users.relyingPartyId} = :relyingPartyId
  ORDER BY ${users.createdAt}, ${users.id} LIMIT :limit OFFSET :skip`,
  PATIENT,
);
