import { keyStateOf } from '../../../users/credentials/key-state.js';
import { phrase, type Phrase } from '../../../platform/pages/languages/phrase.js';
import { utc } from '../../../platform/pages/visible-characters.js';
import type { OpenFinding } from '../../../trust/findings/key-findings.js';
import { ruleLabel } from '../../../platform/pages/rule-label.js';

export type KeyFinding = ReturnType<typeof keyFinding>;

/** A policy rule that a key breaks, and the effect on its user. */
export const keyFinding = (found: OpenFinding) => ({
  rule: ruleLabel(found.rule),
  code: found.code,
  means: meaningOf(found),
});

function meaningOf(found: OpenFinding): Phrase {
  const { action, enabled, from } = found;
  const { disabledBy, disabledByRule, acceptedBy, refusedWith } = keyStateOf(found);
  const means = (name: string, values = {}) => phrase(`users:finding.${name}`, values);
  if (refusedWith !== null) return means('refused');
  if (acceptedBy) return means('letInBy', { account: acceptedBy });
  // Earlier versions recorded nothing when an account enabled the key in spite of the finding.
  if (acceptedBy !== null || (action !== 'report' && enabled)) return means('letIn');
  if (disabledByRule !== null || action === 'disable') {
    return means(disabledBy === null ? 'off' : 'offToo');
  }
  if (from !== undefined) return means('due', { from: utc(new Date(from).toISOString()) });
  return means(action === 'report' ? 'reported' : 'refused');
}
