import { momentValue, phrase, type Phrase } from '../../../platform/pages/languages/phrase.js';
import type { FindingDecision } from './finding-decision.entity.js';

interface DecidedFinding {
  readonly decision: FindingDecision | undefined;
  readonly isAccepted: boolean;
}

/** Who takes care of a finding, and who accepted it until when. */
export function decisionPhrases({ decision, isAccepted }: DecidedFinding): Phrase[] {
  const { assignedTo = null, acceptedBy, acceptedUntil, reason } = decision ?? {};
  const says: Phrase[] = [];
  if (assignedTo !== null) says.push(phrase('inbox:decide.assigned', { account: assignedTo }));
  if (typeof acceptedUntil === 'number') {
    const until = momentValue(acceptedUntil);
    const values = { account: acceptedBy ?? '', until, reason: reason ?? '' };
    says.push(phrase(`inbox:decide.${isAccepted ? 'accepted' : 'lapsed'}`, values));
  }
  return says;
}
