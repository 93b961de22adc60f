import type { RelyingParty } from '../../../tenancy/relying-party.js';
import type { FindingChange } from '../finding-store.js';
import type { KeyEvaluation } from './key-evaluation.js';
import { nextKeyState } from './next-key-state.js';
import type { KeyToEvaluate } from './stored-keys.js';

/** How a key is to change by today's rules and data; `undefined` where it stays as it is. */
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
