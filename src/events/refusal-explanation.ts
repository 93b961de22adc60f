import {
  brokenRuleIn,
  isReason,
  problem,
  withoutValues,
  type PlainReason,
  type Reason,
} from '../platform/errors/reasons.js';
import { CATALOGUE, type Code } from '../platform/errors/catalogue.js';
import {
  phrase,
  problemPhrase,
  ruleLabel,
  type Phrase,
  type Text,
} from '../platform/pages/languages/phrase.js';
import { readRefusalDetail } from './refusal-detail.js';

/** A refusal explained to readers who do not know the protocol. */
interface RefusalExplanation {
  readonly reason: Text;
  readonly advice: Phrase;
  /** What the help desk should tell the user, in one sentence. */
  readonly tell: Phrase;
}

/** Keys in the area `refusals` that several explanations share. */
interface SharedTexts {
  readonly advice?: string;
  readonly tell?: string;
}

const FOR_DEVELOPERS: SharedTexts = { advice: 'advice.tellDevelopers', tell: 'tell.us' };
const VERIFY: SharedTexts = { advice: 'E0031R.advice', tell: 'E0031R.tell' };
const CONTRADICTION: SharedTexts = { advice: 'advice.registerAgain', tell: 'tell.again' };
const ANOTHER_KEY = { advice: 'advice.otherKey', tell: 'tell.otherKey' } as const;

const explanation = (place: string, shared: SharedTexts = {}): RefusalExplanation => ({
  reason: phrase(`refusals:${place}.reason`),
  advice: phrase(`refusals:${shared.advice ?? `${place}.advice`}`),
  tell: phrase(`refusals:${shared.tell ?? `${place}.tell`}`),
});

/** Users meet E0044R only when an invitation is looked up. */
const NO_INVITATION = explanation('noInvitation');

/** Refusals that users meet; the others concern developers only. */
const BY_CODE: Partial<Record<Code, RefusalExplanation>> = {
  E0024R: explanation('E0024R'),
  E0027R: explanation('E0027R', FOR_DEVELOPERS),
  E0028R: explanation('E0028R'),
  E0029R: explanation('E0029R'),
  E0030R: explanation('E0030R', { tell: 'E0029R.tell' }),
  E0031R: explanation('E0031R'),
  E0032R: explanation('E0032R', { advice: 'advice.registerAgain', tell: 'tell.again' }),
  E0033R: explanation('E0033R'),
  E0034R: explanation('E0034R'),
  E0035R: explanation('E0035R'),
  E0036R: explanation('E0036R'),
  E0037R: explanation('E0037R', ANOTHER_KEY),
  E0038R: explanation('E0038R', ANOTHER_KEY),
  E0039R: explanation('E0039R', ANOTHER_KEY),
  E0040R: explanation('E0040R'),
  E0043R: explanation('E0043R'),
  E0044R: NO_INVITATION,
};

/** Explains a refusal without a code. Callers do not learn which of the two reasons applied, nor do old events. */
const NO_ACCOUNT = explanation('noAccount');

/** The present state of a name that was refused: never the reason of an older refusal. */
const presentState = (place: string, shared: SharedTexts = {}) => {
  const { reason: today, ...help } = explanation(place, shared);
  return { today, ...help };
};

/** The present states of a name that had no key to sign in with. */
export const KEYS_TODAY = {
  deleted: presentState('deletedUser'),
  noKey: presentState('noKey'),
  disabled: presentState('disabledKeys', {
    advice: 'noEnabledKey.advice',
    tell: 'noEnabledKey.tell',
  }),
  blocked: presentState('blockedKeys'),
  suspended: presentState('suspendedToday', {
    advice: 'suspendedUser.advice',
    tell: 'suspendedUser.tell',
  }),
  usable: presentState('usableKey', { tell: 'tell.again' }),
};

const WITHOUT_KEY: ReadonlySet<string> = new Set([
  'unknown-user',
  'user-suspended',
  'no-enabled-key',
]);

/** Whether a refusal means that no user had the name, that its user had no enabled key or was suspended. */
export const isWithoutKey = (detail: string | null): boolean =>
  WITHOUT_KEY.has(readRefusalDetail(detail ?? '').word);

/** For the failed check and for the broken rule. */
const NOT_VERIFIED = explanation('notVerified', VERIFY);

const TOO_MANY_KEYS = explanation('tooManyKeys');

/** A mistake of the page or its backend, explained by the sentence of its reason. */
const mistake = (reason: PlainReason): RefusalExplanation => ({
  ...explanation('', FOR_DEVELOPERS),
  reason: problemPhrase(problem(reason)),
});

const BY_DETAIL: ReadonlyMap<string, RefusalExplanation> = new Map([
  ['unknown-user', explanation('unknownUser')],
  ['no-enabled-key', explanation('noEnabledKey')],
  ['user-suspended', explanation('suspendedUser')],
  ['user.suspended', explanation('suspendedUser')],
  ['user-not-verified', NOT_VERIFIED],
  ['user-not-present', explanation('notPresent', VERIFY)],
  ['backup-flags-inconsistent', explanation('contradiction', CONTRADICTION)],
  ['backup-eligibility-changed', explanation('contradiction', CONTRADICTION)],
  ['invitation-other-name', explanation('otherName')],
  ['invitation-over', NO_INVITATION],
  ['session.expired', explanation('expired')],
  ['session.used', explanation('usedTwice', { tell: 'tell.again' })],
  ['session.cookieMissing', explanation('cookieMissing')],
  ['session.ended', explanation('lockedOut')],
  ['proxy.protocol', explanation('proxyProtocol', { tell: 'tell.us' })],
  ['registration.tooManyKeys', TOO_MANY_KEYS],
  ['cross-origin-not-allowed', explanation('embedded', { tell: 'E0029R.tell' })],
  ['challenge-encoded-twice', mistake('challenge.encodedTwice')],
]);

/**
 * Reasons that only developers can deal with, of codes that otherwise concern the user: to try again, or to sign in
 * first, does not help.
 */
const MISTAKES: ReadonlySet<string> = new Set<Reason>([
  'session.otherKind',
  'session.otherRelyingParty',
  'session.notIssued',
  'session.keyMissing',
  'session.ceremonyMissing',
  'applicationKey.needsScope',
  'applicationKey.notCovered',
  'relyingParty.keysOnly',
  'secondFactor.needsKey',
  'secondFactor.needsName',
  'registration.noPrompt',
  'registration.needsApplication',
]);

/** The rule that the user can satisfy with the same key. */
const RULE_OF_USERS = 'userVerification';

function explainRule(rule: string | undefined): RefusalExplanation | undefined {
  if (rule === undefined) return undefined;
  if (rule === RULE_OF_USERS) return NOT_VERIFIED;
  if (rule === 'maxCredentials') return TOO_MANY_KEYS;
  const reason = phrase('refusals:brokenRule.reason', { rule: ruleLabel(rule) });
  return { ...explanation('brokenRule', { tell: ANOTHER_KEY.tell }), reason };
}

const isCode = (text: string): text is Code => Object.hasOwn(CATALOGUE, text);

/**
 * The meaning of a refusal and what to do about it; for rare ones, the sentence of the catalogue.
 *
 * @param detail what the ledger records beside the code, a `refusalDetailText`
 */
export function explain(code: string | null, detail: string | null = ''): RefusalExplanation {
  const { word, value } = readRefusalDetail(detail ?? '');
  const known = explainRule(brokenRuleIn(detail)) ?? BY_DETAIL.get(word);
  if (known) return known;
  if (code === null) return NO_ACCOUNT;
  // With the policy `unknownUsers`, callers receive the code of a wrong signature, and the detail is the real one.
  return explainCode(isCode(word) ? word : code, word, value);
}

/** @param value the first one of the reason's sentence, if the event records it */
function explainCode(code: string, reason: string, value: string | undefined): RefusalExplanation {
  if (!isCode(code)) return { ...explanation('', FOR_DEVELOPERS), reason: code };
  const known = MISTAKES.has(reason) ? undefined : BY_CODE[code];
  if (known && !isReason(reason)) return known;
  const told = isReason(reason) ? withoutValues(reason, value) : withoutValues(CATALOGUE[code][1]);
  return { ...explanation('', FOR_DEVELOPERS), ...known, reason: problemPhrase(told) };
}
