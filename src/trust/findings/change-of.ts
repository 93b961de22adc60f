import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { Change } from './finding-store.js';
import type { KeyEvaluation } from './key-evaluation.js';
import { settled } from './settlement.js';
import type { KeyToEvaluate } from './stored-keys.js';

/** How a key is to change by today's rules and data; `undefined` where it stays as it is. */
export function changeOf(
  evaluation: KeyEvaluation,
  rp: RelyingParty,
  key: KeyToEvaluate,
): Change | undefined {
  const breach = evaluation.findingOf(rp, key, key.statement);
  const found = breach && { rule: breach.rule, code: breach.code, action: breach.action };
  const settlement = settled(key, found);
  return settlement && { key, found, settlement };
}
