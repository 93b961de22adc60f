import type { Policy } from '../tenancy/policy.js';
import { MODEL_RULES } from './model-rules.js';
import { modeOf, rule } from './rule.js';
import type { Breach, Broken, Candidate, NamedRule } from './rule.js';

/** The whitelist is the server's, not a relying party's: it has no modes. */
function evaluateListed(_: Policy, { listed, aaguidCounts, unproved }: Candidate): Broken {
  if (listed === undefined || (listed && aaguidCounts && !unproved)) return undefined;
  if (listed && aaguidCounts) {
    return { mode: 'report', code: 'E0037R', sentence: UNPROVED };
  }
  return { mode: 'enforce', code: 'E0037R', sentence: listed ? NOT_PROVED : NOT_LISTED };
}

const NOT_LISTED = 'This authenticator model is not on the whitelist.';
const NOT_PROVED =
  'This authenticator model is on the whitelist, but nothing proves that the key is of it: its ' +
  "attestation leads to no trust anchor of the model, of metadata or of the relying party's.";
const UNPROVED = 'No metadata and no anchor is configured that proves a model of the whitelist.';

const DISOWNED =
  'The metadata service knows this authenticator model, and the attestation is not as its entry ' +
  'says: it leads to none of its roots.';

/** A warning is reported even where a refusal would be enforced. */
function evaluateStatus(policy: Policy, { status, revoked }: Candidate): Broken {
  if (!policy.status || status.verdict === 'accept') return undefined;
  return {
    ...(status.verdict === 'warn' ? { mode: 'report' as const } : modeOf(policy.status)),
    code: 'E0038R',
    sentence: revoked
      ? 'The key by which this phone attests is revoked.'
      : `The metadata service says of this authenticator model: ${status.status}.`,
  };
}

/** Applies to every value of the rule `trust`: the attestation's own authority has revoked it. */
function evaluateRevocation({ trust: rule }: Policy, { trust }: Candidate): Broken {
  if (!rule || trust !== 'revoked') return undefined;
  return { ...modeOf(rule), code: 'E0038R', sentence: REVOKED };
}

const REVOKED = 'A certificate of the attestation is revoked by the authority that issued it.';

function evaluateTrust(policy: Policy, { trust, disowned }: Candidate): Broken {
  if (!policy.trust || trust === 'trusted' || trust === 'revoked') return undefined;
  if (policy.trust.value === 'known') {
    return disowned ? { ...modeOf(policy.trust), code: 'E0038R', sentence: DISOWNED } : undefined;
  }
  const [code, sentence] =
    trust === 'broken'
      ? (['E1008R', 'The certificates of the attestation lead to no trust anchor.'] as const)
      : (['E0038R', 'A trusted attestation is required.'] as const);
  return { ...modeOf(policy.trust), code, sentence };
}

/** Rules in the order of evaluation: first what users can easily mend, then the model, then trust. */
const RULES: readonly NamedRule[] = [
  [
    'userVerification',
    rule(
      ({ userVerification }) => userVerification,
      (value, { userVerified }) => value === 'required' && !userVerified,
      ['E0031R', 'The authenticator did not verify the user, which is required.'],
    ),
  ],
  [
    'residentKey',
    rule(
      ({ residentKey }) => residentKey,
      (value, { residentKey }) => value === 'required' && residentKey === false,
      ['E0007R', 'The authenticator did not keep the credential as a discoverable one.'],
    ),
  ],
  [
    'backupEligible',
    rule(
      (policy) => policy.backupEligible,
      (_, { backupEligible }) => backupEligible,
      ['E0031R', 'Keys that can be synced or backed up are not allowed.'],
    ),
  ],
  [
    'algorithms',
    rule(
      ({ algorithms }) => algorithms,
      (allowed, { algorithm }) => !allowed.includes(algorithm),
      ['E0039R', 'The algorithm of this key is not allowed.'],
    ),
  ],
  ['whitelist', evaluateListed],
  [
    'block',
    rule(
      ({ block }) => block,
      (blocked, { aaguid }) => blocked.includes(aaguid),
      ['E0037R', 'This authenticator model is blocked.'],
    ),
  ],
  [
    'allow',
    rule(
      ({ allow }) => allow,
      (allowed, { aaguid, aaguidCounts }) => !aaguidCounts || !allowed.includes(aaguid),
      ['E0037R', 'This authenticator model is not among the allowed ones.'],
    ),
  ],
  [
    'formats',
    rule(
      ({ formats }) => formats,
      (allowed, { format }) => !allowed.includes(format),
      ['E0038R', 'The format of the attestation is not allowed.'],
    ),
  ],
  ...MODEL_RULES,
  ['status', evaluateStatus],
  ['revoked', evaluateRevocation],
  ['trust', evaluateTrust],
  [
    'maxCredentials',
    rule(
      ({ maxCredentials }) => maxCredentials,
      (most, { credentials }) => credentials >= most,
      ['E0043R', 'This user has as many credentials as are allowed.'],
    ),
  ],
];

/** The rules that a registration breaks, in the order in which they are evaluated. */
export function breachesOf(policy: Policy, candidate: Candidate): readonly Breach[] {
  return RULES.flatMap(([name, evaluate]) => {
    const broken = evaluate(policy, candidate);
    return broken ? [{ rule: name, ...broken }] : [];
  });
}
