import { problem } from '../platform/errors/reasons.js';
import type { Policy } from '../tenancy/policy/policy.js';
import {
  hasFips,
  hasFipsPhysicalSecurity,
  hasFipsRevision,
  hasProfile,
  isCertifiedAt,
} from '../webauthn/metadata/certification.js';
import {
  modeOf,
  createRule,
  type RuleBreach,
  type RuleOutcome,
  type RegistrationFacts,
  type NamedRule,
} from './rule.js';

/** The whitelist belongs to the server, not to a relying party: it has no modes. */
function checkWhitelist(
  _: Policy,
  { listed, aaguidCounts, unproved }: RegistrationFacts,
): RuleOutcome {
  if (listed === undefined || (listed && aaguidCounts && !unproved)) return undefined;
  if (listed && aaguidCounts) {
    return { mode: 'report', code: 'E0037R', problem: problem('model.nothingProves') };
  }
  const reason = listed ? 'model.listedUnproved' : 'model.notListed';
  return { mode: 'enforce', code: 'E0037R', problem: problem(reason) };
}

/** A warning is reported even if a refusal would be enforced. */
function checkStatusRule(policy: Policy, { status, revoked }: RegistrationFacts): RuleOutcome {
  if (!policy.status || status.verdict === 'accept') return undefined;
  return {
    ...(status.verdict === 'warn' ? { mode: 'report' as const } : modeOf(policy.status)),
    code: 'E0038R',
    problem: revoked
      ? problem('trust.phoneRevoked')
      : problem('trust.status', { status: String(status.status) }),
  };
}

/** Applies to every value of the rule `trust`: the attestation's own issuer has revoked it. */
function checkRevocationRule({ trust: rule }: Policy, { trust }: RegistrationFacts): RuleOutcome {
  if (!rule || trust !== 'revoked') return undefined;
  return { ...modeOf(rule), code: 'E0038R', problem: problem('trust.certificateRevoked') };
}

function checkTrustRule(policy: Policy, { trust, disowned }: RegistrationFacts): RuleOutcome {
  if (!policy.trust || trust === 'trusted' || trust === 'revoked') return undefined;
  if (policy.trust.value === 'known') {
    if (!disowned) return undefined;
    return { ...modeOf(policy.trust), code: 'E0038R', problem: problem('trust.disowned') };
  }
  const [code, reason] =
    trust === 'broken'
      ? (['E1008R', 'trust.noAnchor'] as const)
      : (['E0038R', 'trust.required'] as const);
  return { ...modeOf(policy.trust), code, problem: problem(reason) };
}

/** The metadata's entry of the model, if the AAGUID is reliable. */
const known = ({ entry, aaguidCounts }: RegistrationFacts) => (aaguidCounts ? entry : undefined);

const reportsOn = (it: RegistrationFacts) => known(it)?.statusReports ?? [];

const hasOne = (stated: readonly string[] = [], wanted: readonly string[]): boolean =>
  stated.some((item) => wanted.includes(item));

/** Rules in the order of evaluation: first those that users can easily meet, then the model, then trust. */
const RULES: readonly NamedRule[] = [
  createRule(
    'userVerification',
    ['E0031R', 'user.notVerified'],
    (value, { userVerified }) => value === 'required' && !userVerified,
  ),
  createRule(
    'residentKey',
    ['E0007R', 'rule.notDiscoverable'],
    (value, { residentKey }) => value === 'required' && residentKey === false,
  ),
  createRule(
    'backupEligible',
    ['E0031R', 'rule.backupEligible'],
    (_, { backupEligible }) => backupEligible,
  ),
  createRule(
    'algorithms',
    ['E0039R', 'rule.algorithm'],
    (allowed, { algorithm }) => !allowed.includes(algorithm),
  ),
  createRule(
    'minPinLength',
    ['E0038R'],
    (least, { minPinLength }) => minPinLength !== undefined && minPinLength < least,
  ),
  ['whitelist', checkWhitelist],
  createRule('block', ['E0037R', 'model.blocked'], (blocked, { aaguid }) =>
    blocked.includes(aaguid),
  ),
  createRule(
    'allow',
    ['E0037R', 'model.notAllowed'],
    (allowed, { aaguid, aaguidCounts }) => !aaguidCounts || !allowed.includes(aaguid),
  ),
  createRule(
    'formats',
    ['E0038R', 'rule.format'],
    (allowed, { format }) => !allowed.includes(format),
  ),
  createRule(
    'attestationTypes',
    ['E0038R', 'rule.attestationType'],
    (allowed, { attestationTypes }) => !attestationTypes.every((type) => allowed.includes(type)),
  ),
  // Models without metadata break all rules from `certification` to `matcherProtection`.
  createRule(
    'certification',
    ['E0038R', 'model.certification'],
    (level, it) => !isCertifiedAt(reportsOn(it), level, it.at),
  ),
  createRule(
    'certificationProfiles',
    ['E0038R', 'model.certificationProfile'],
    (profiles, it) => !hasProfile(reportsOn(it), profiles, it.at),
  ),
  createRule(
    'fips',
    ['E0038R', 'model.fips'],
    (level, it) => !hasFips(reportsOn(it), level, it.at),
  ),
  createRule(
    'fipsRevision',
    ['E0038R', 'model.fipsRevision'],
    (revision, it) => !hasFipsRevision(reportsOn(it), revision, it.at),
  ),
  createRule(
    'fipsPhysicalSecurity',
    ['E0038R', 'model.fipsPhysical'],
    (level, it) => !hasFipsPhysicalSecurity(reportsOn(it), level, it.at),
  ),
  createRule(
    'keyProtection',
    ['E0038R'],
    (wanted, it) => !hasOne(known(it)?.statement?.keyProtection, wanted),
  ),
  createRule(
    'matcherProtection',
    ['E0038R'],
    (wanted, it) => !hasOne(known(it)?.statement?.matcherProtection, wanted),
  ),
  ['status', checkStatusRule],
  ['revoked', checkRevocationRule],
  ['trust', checkTrustRule],
  createRule(
    'maxCredentials',
    ['E0043R', 'rule.maxCredentials'],
    (most, { credentials }) => credentials >= most,
  ),
];

/** The rules that a registration breaks, in the order of evaluation. */
export function breachesOf(policy: Policy, candidate: RegistrationFacts): readonly RuleBreach[] {
  return RULES.flatMap(([name, evaluate]) => {
    const broken = evaluate(policy, candidate);
    return broken
      ? [{ rule: name, problem: problem('rule.broken', { rule: name }), ...broken }]
      : [];
  });
}
