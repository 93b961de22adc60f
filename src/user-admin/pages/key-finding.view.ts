import { phrase } from '../../presentation/languages/phrase.js';
import type { Phrase } from '../../presentation/languages/phrase.js';
import { utc } from '../../presentation/utc.js';
import type { OpenFinding } from '../../trust/findings/open-findings.js';
import { ruleLabel } from '../../trust/rule-label.js';

/** A rule of the policy that a key breaks, and what that means for its person. */
export interface KeyFinding {
  /** The rule of the policy that the key breaks. */
  readonly rule: Phrase;
  readonly code: string;
  readonly means: Phrase;
}

export const keyFinding = (found: OpenFinding): KeyFinding => ({
  rule: ruleLabel(found.rule),
  code: found.code,
  means: meaningOf(found),
});

function meaningOf({ enabled, refusedWith, action, from }: OpenFinding): Phrase {
  const means = (what: string, values = {}) => phrase(`users:finding.${what}`, values);
  if (refusedWith !== null) return means(enabled ? 'refused' : 'off');
  // Somebody may have switched the key on or off since then: that holds until the finding changes.
  if (action !== 'report') return means(enabled ? 'letIn' : 'disabled');
  if (from !== undefined) return means('due', { from: utc(new Date(from).toISOString()) });
  return means('reported');
}
