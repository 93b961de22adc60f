import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { computed, namedParameters, tableOf } from '../../platform/database/entities/table.js';
import { User, EarlierName } from '../user.entity.js';
import { Move } from '../moves/move.entity.js';

const earlierNames = tableOf(EarlierName);
const earlierName = tableOf(EarlierName, 'e');
const user = tableOf(User, 'u');
const namesake = tableOf(User, 'x');
const move = tableOf(Move, 'm');

type NewName = Omit<EarlierName, 'user' | 'username'> & { readonly username: Buffer };
const COLUMNS = ['relyingPartyId', 'tenantId', 'username', 'until', 'userId'] as const;

export const KEEP_EARLIER_NAME = sql<NewName>(`INSERT INTO ${earlierNames.row(...COLUMNS)}`);

/** Stores nothing if the new name is taken at the other relying party, or the user has just moved here from there. */
export const KEEP_EARLIER_NAME_IF_FREE = sql<
  NewName & { otherRelyingPartyId: Buffer; newName: Buffer; newFoldedName: Buffer }
>(
  `INSERT INTO ${earlierNames.from} (${earlierNames.list(...COLUMNS)})
  SELECT ${namedParameters(COLUMNS)} FROM ${user.from}
  WHERE ${user.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${namesake.from}
      WHERE ${namesake.relyingPartyId} = :otherRelyingPartyId AND ${namesake.username} = :newName)
    AND NOT EXISTS (SELECT 1 FROM ${namesake.from}
      WHERE ${namesake.relyingPartyId} = :otherRelyingPartyId AND ${namesake.foldedName} = :newFoldedName)
    AND NOT EXISTS (SELECT 1 FROM ${move.from} JOIN ${namesake.from} ON ${namesake.id} = ${move.predecessorUserId}
      WHERE ${move.userId} = ${user.id} AND ${namesake.relyingPartyId} = :otherRelyingPartyId)`,
);

/** The most recently given up name comes first. */
export const EARLIER_NAMES_OF_USER = select(earlierNames.pick('username', 'until')).from<
  Scope & { userId: Buffer; limit: number }
>(`
  ${earlierNames.from} WHERE ${earlierNames.scope} AND ${earlierNames.userId} = :userId
  ORDER BY ${earlierNames.until} DESC LIMIT :limit`);

/** When a user received the current name: when the previous one was given up, else when the user was created. */
export const NAME_HELD_SINCE = select({
  since: computed<number>(`COALESCE((SELECT MAX(${earlierName.until}) FROM ${earlierName.from}
      WHERE ${earlierName.userId} = ${user.id}), ${user.createdAt})`),
}).from<Scope & { userId: Buffer }>(
  `${user.from} WHERE ${user.scopeWithoutIndex} AND ${user.id} = :userId`,
);

/** Users who had this name before, with their current names; the last one to give it up comes first. */
export const FORMER_OWNERS = select({
  ...earlierName.pick('userId', 'until'),
  ...user.pick('username'),
}).from<Scope & { username: Buffer; limit: number }>(`
  ${earlierName.from} JOIN ${user.from} ON ${user.id} = ${earlierName.userId}
  WHERE ${earlierName.scope} AND ${earlierName.username} = :username
    ORDER BY ${earlierName.until} DESC LIMIT :limit`);
