import type { DatabaseKind } from '../../platform/database/entities/table.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { padList } from '../../platform/database/statement.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { Names } from '../user.entity.js';
import { searchEntries } from './folding.js';
import { FORGET_WORDS, INSERT_WORDS } from './search.statements.js';

export interface UserWithNames extends Names {
  readonly id: Buffer;
  readonly relyingParty: ScopeOwner;
}

const ROWS_PER_STATEMENT = 128;

/** The steps that store users' words: a single one for a few users. */
export function wordSteps(kind: DatabaseKind, users: readonly UserWithNames[]): Step[] {
  const rows = users.flatMap((user) =>
    searchEntries(user).map((word) => ({ ...scope(user.relyingParty), userId: user.id, word })),
  );
  return splitIntoParts(rows, ROWS_PER_STATEMENT).map((part) =>
    INSERT_WORDS[kind].step({ rows: padList(part) }),
  );
}

export const replaceSearchWords = (kind: DatabaseKind, user: UserWithNames): Step[] => [
  FORGET_WORDS.step({ ...scope(user.relyingParty), userId: user.id }),
  ...wordSteps(kind, [user]),
];
