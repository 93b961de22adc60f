import type { DatabaseKind } from '../../platform/database/columns.js';
import { padded } from '../../platform/database/padded.js';
import type { Step, Value } from '../../platform/database/commit/unit.js';
import { scopeParams } from '../../platform/database/scope.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import type { Names } from '../user.entity.js';
import { entriesOf } from './folding.js';
import { FORGET_WORDS, insertWords } from './search.statements.js';

/** A user, and the user's names. */
export interface Named extends Names {
  readonly id: Buffer;
  readonly relyingParty: ScopeOwner;
}

/** Most rows of one statement. */
const AT_ONCE = 128;

/** The steps that store users' words: a single one for the words of a few users. */
export function wordSteps(kind: DatabaseKind, users: readonly Named[]): Step[] {
  const rows = users.flatMap((user) => entriesOf(user).map((word) => rowOf(user, word)));
  return inParts(rows).map((part) => ({
    sql: insertWords(kind, part),
    params: part.flat(),
  }));
}

/** The steps that replace the words of a user who was renamed. */
export const replaceSearchWords = (kind: DatabaseKind, user: Named): Step[] => [
  { sql: FORGET_WORDS, params: [...scopeParams(user.relyingParty), user.id] },
  ...wordSteps(kind, [user]),
];

const rowOf = ({ id, relyingParty }: Named, word: Buffer): Value[] => [
  ...scopeParams(relyingParty),
  id,
  word,
];

const inParts = (rows: readonly Value[][]): (readonly Value[][])[] =>
  Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_, n) =>
    padded(rows.slice(n * AT_ONCE, (n + 1) * AT_ONCE)),
  );
