import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { csvOf } from '../../platform/pages/csv.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { USERS_PAGE, queryOf, userAddress } from '../pages/page-frame.js';
import type { CollisionsAnswer } from './collisions.answer.js';
import { MAX_COLLISIONS } from './collisions.dto.js';

export const collisionsAddress = (relyingParty: string, more: { cursor?: string } = {}): string =>
  `/userapi/collisions${queryOf({ relyingParty, ...more })}`;

export function collisionsPage(
  { relyingParty, predecessor, collisions, next }: CollisionsAnswer,
  account: Account | undefined,
) {
  return {
    title: phrase('users:collisions.title'),
    ...USERS_PAGE,
    relyingParty,
    predecessor,
    mayLink: account === undefined || may(account, 'tickets:issue'),
    collisions: collisions.map(({ username, reason }) => ({
      username,
      // Somebody else is that user.
      isFinal: reason === 'userIdTaken',
      reason: phrase(`users:collisions.reasons.${reason}`),
      address: userAddress(username, predecessor ?? relyingParty),
    })),
    file: `${collisionsAddress(relyingParty)}&format=spreadsheet&limit=${MAX_COLLISIONS}`,
    next: next === null ? undefined : collisionsAddress(relyingParty, { cursor: next }),
  };
}

export function collisionsCsv({ collisions }: CollisionsAnswer): string {
  const rows = collisions.map(({ username, reason }) => [username, reason]);
  return csvOf(['username', 'reason'], rows);
}
