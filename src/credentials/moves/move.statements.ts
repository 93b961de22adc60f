import { tableOf } from '../../database/entities/table.js';
import { Credential } from '../credential.entity.js';
import { User } from '../user.entity.js';

const credential = tableOf(Credential);
const c = tableOf(Credential, 'c');
const n = tableOf(User, 'n');
const o = tableOf(User, 'o');

/**
 * rp, hash: touches the credential where it is enabled still, and changes nothing: a guard for what it
 * vouches for.
 */
export const STILL_ENABLED = `UPDATE ${credential.from} SET ${credential.enabled} = 1
  WHERE ${credential.scope} AND ${credential.credentialHash} = ? AND ${credential.enabled} = 1`;

/** rp of the old domain, rp id of the new one: users of the old, and those of them who have a key at the new. */
export const COUNT_MOVED = `SELECT COUNT(*) AS users, COUNT(k.id) AS moved
  FROM ${o.from}
  LEFT JOIN (SELECT ${n.id}, ${n.username} FROM ${n.from}
    WHERE ${n.relyingPartyId} = ? AND EXISTS
      (SELECT 1 FROM ${c.from} WHERE ${c.userId} = ${n.id})) k ON k.username = ${o.username}
  WHERE ${o.scope}`;
