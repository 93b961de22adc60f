import { tableOf } from '../../database/entities/table.js';
import { Credential } from '../credential.entity.js';
import { User } from '../user.entity.js';

const credential = tableOf(Credential);
const c = tableOf(Credential, 'c');
const n = tableOf(User, 'n');
const o = tableOf(User, 'o');

/**
 * rp, credential hash: changes nothing, but finds no row where the credential is not enabled any more. It is
 * the guard of units for which this credential vouches.
 */
export const STILL_ENABLED = `UPDATE ${credential.from} SET ${credential.enabled} = 1
  WHERE ${credential.scope} AND ${credential.credentialHash} = ? AND ${credential.enabled} = 1`;

/** rp id of the new domain, rp of the old one: users of the old one, and how many have a key at the new. */
export const COUNT_MOVED = `SELECT COUNT(*) AS users, COUNT(k.id) AS moved
  FROM ${o.from}
  LEFT JOIN (SELECT ${n.id}, ${n.username} FROM ${n.from}
    WHERE ${n.relyingPartyId} = ? AND EXISTS
      (SELECT 1 FROM ${c.from} WHERE ${c.userId} = ${n.id})) k ON k.username = ${o.username}
  WHERE ${o.scope}`;
