import type { DatabaseKind } from '../../database/columns.js';
import { padded } from '../../database/padded.js';
import type { Step, Value } from '../../database/commit/unit.js';
import { scopeParams } from '../../database/scope.js';
import type { ScopeOwner } from '../../database/scope.js';
import type { Names } from '../user-names.js';
import { entriesOf } from './folding.js';
import { FORGET_WORDS, insertWords } from './search.statements.js';

/** Of whom, and what they are called. */
export interface Named extends Names {
  readonly id: Buffer;
  readonly relyingParty: ScopeOwner;
}

/** Rows of one statement. */
const AT_ONCE = 128;

/** The statements by which users are found: one, for as many words as few users have. */
export function wordSteps(kind: DatabaseKind, users: readonly Named[]): Step[] {
  const rows = users.flatMap((user) => entriesOf(user).map((word) => rowOf(user, word)));
  return inParts(rows).map((part) => ({
    sql: insertWords(kind, part),
    params: part.flat(),
  }));
}

/** The same for one who was called otherwise. */
export const rewordSteps = (kind: DatabaseKind, user: Named): Step[] => [
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
