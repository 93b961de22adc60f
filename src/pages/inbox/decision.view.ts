import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { decisionPhrases } from '../../trust/findings/decisions/decision-phrases.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type {
  FindingDecision,
  FindingKind,
} from '../../trust/findings/decisions/finding-decision.entity.js';

interface Decided {
  readonly relyingParty: RelyingParty;
  readonly decision: FindingDecision | undefined;
  readonly isAccepted: boolean;
}

/**
 * The form for a finding, with what was decided about it.
 *
 * @param about whom or what it concerns, for readers who do not see the row of the form
 * @param cases the finding at each relying party
 */
export const decisionOf = (
  { kind, subject, about }: { kind: FindingKind; subject: string; about: Text },
  cases: readonly Decided[],
) => ({
  kind,
  subject,
  about,
  domains: cases.map(({ relyingParty }) => relyingParty.domain),
  says: cases.flatMap((one) =>
    decisionPhrases(one).map((text) =>
      cases.length === 1
        ? text
        : phrase('inbox:decide.at', { domain: one.relyingParty.domain, text }),
    ),
  ),
  isAccepted: cases.some(({ isAccepted }) => isAccepted),
  isAssigned: cases.some(({ decision }) => typeof decision?.assignedTo === 'string'),
});
