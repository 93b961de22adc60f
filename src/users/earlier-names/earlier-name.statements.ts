import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { namedParameters, tableOf } from '../../platform/database/entities/table.js';
import { User } from '../user.entity.js';
import { Move } from '../moves/move.entity.js';
import { EarlierName } from './earlier-name.entity.js';

const earlier = tableOf(EarlierName);
const e = tableOf(EarlierName, 'e');
const u = tableOf(User, 'u');
const x = tableOf(User, 'x');
const m = tableOf(Move, 'm');

type NewName = Omit<EarlierName, 'user' | 'username'> & { readonly username: Buffer };
const COLUMNS = ['relyingPartyId', 'tenantId', 'username', 'until', 'userId'] as const;

export const KEEP_EARLIER_NAME = sql<NewName>(`INSERT INTO ${earlier.row(...COLUMNS)}`);

interface NewNameElsewhere {
  readonly otherRelyingPartyId: Buffer;
  readonly newName: Buffer;
  readonly newFoldedName: Buffer;
}

/** Stores nothing if the new name is taken at the other relying party, or the user has just moved here from there. */
export const KEEP_EARLIER_NAME_IF_FREE = sql<NewName & NewNameElsewhere>(
  `INSERT INTO ${earlier.from} (${earlier.list(...COLUMNS)})
  SELECT ${namedParameters(COLUMNS)} FROM ${u.from}
  WHERE ${u.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${x.from}
      WHERE ${x.relyingPartyId} = :otherRelyingPartyId AND ${x.username} = :newName)
    AND NOT EXISTS (SELECT 1 FROM ${x.from}
      WHERE ${x.relyingPartyId} = :otherRelyingPartyId AND ${x.foldedName} = :newFoldedName)
    AND NOT EXISTS (SELECT 1 FROM ${m.from} JOIN ${x.from} ON ${x.id} = ${m.formerUserId}
      WHERE ${m.userId} = ${u.id})`,
);

interface EarlierNameRow {
  readonly username: Buffer;
  readonly until: number;
}

/** The most recently given up name comes first. */
export const EARLIER_NAMES_OF_USER = sql<Scope & { userId: Buffer; limit: number }, EarlierNameRow>(
  `SELECT ${earlier.select('username', 'until')} FROM ${earlier.from}
  WHERE ${earlier.scope} AND ${earlier.userId} = :userId
  ORDER BY ${earlier.until} DESC LIMIT :limit`,
);

/** Users who had this name before, with their current names; the last one to give it up comes first. */
export const FORMER_OWNERS = sql<
  Scope & { username: Buffer; limit: number },
  EarlierNameRow & { userId: Buffer }
>(`SELECT ${e.select('userId', 'until')}, ${u.select('username')}
  FROM ${e.from} JOIN ${u.from} ON ${u.id} = ${e.userId}
  WHERE ${e.scope} AND ${e.username} = :username ORDER BY ${e.until} DESC LIMIT :limit`);
