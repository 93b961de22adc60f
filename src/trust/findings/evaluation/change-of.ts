import type { RelyingParty } from '../../../tenancy/relying-party.js';
import type { FindingChange } from '../finding-store.js';
import type { KeyEvaluation } from './key-evaluation.js';
import { nextKeyState } from './next-key-state.js';
import type { KeyToEvaluate } from './stored-keys.js';

/** The change of a key under the current rules and data; `undefined` if it stays the same. */
export function changeOf(
  evaluation: KeyEvaluation,
  rp: RelyingParty,
  key: KeyToEvaluate,
): FindingChange | undefined {
  const breach = evaluation.findingOf(rp, key, key.statement);
  const found = breach && { rule: breach.rule, code: breach.code, action: breach.action };
  const next = nextKeyState(key, found);
  return next && { key, found, ...next };
}
