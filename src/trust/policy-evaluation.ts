import type { Code } from '../errors/catalogue.js';
import type { Policy, Rule } from '../tenancy/policy.js';
import type { StatusEvaluation } from '../webauthn/metadata/status.js';

/** What a policy gets to see of a verified registration. */
export interface Candidate {
  /** Hyphenated, in lower case. */
  readonly aaguid: string;
  /** Whether the AAGUID may be relied on; else it is only what the authenticator said. */
  readonly aaguidCounts: boolean;
  /** Whether the model is on the whitelist, proved or not; `undefined` where there is no whitelist. */
  readonly listed: boolean | undefined;
  /** Whether the AAGUID counts although nothing proves it, since no anchor is configured at all. */
  readonly unproved: boolean;
  readonly format: string;
  /** COSE number of the credential's key. */
  readonly algorithm: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  /** `credProps.rk` as the browser reported it; `undefined` where it did not. */
  readonly residentKey: boolean | undefined;
  /**
   * `broken`: there are certificates and anchors, but no valid way from one to the other; `revoked`: there
   * is one, and a certificate on it is revoked.
   */
  readonly trust: 'trusted' | 'untrusted' | 'broken' | 'revoked';
  /** The metadata knows the model, and its entry does not stand by the attestation asked for. */
  readonly disowned: boolean;
  /** What the metadata says of the model, or the list of revoked keys of the phone. */
  readonly status: StatusEvaluation;
  /** Whether the status is of that list. */
  readonly revoked: boolean;
  /** How many credentials the user has without this one. */
  readonly credentials: number;
}

/** A rule that a registration does not keep. */
export interface Breach {
  readonly rule: string;
  readonly mode: Rule<unknown>['mode'];
  readonly code: Code;
  readonly sentence: string;
  /** Where it holds for sign-ins too: from when on, in ms since 1970. */
  readonly signInsFrom?: number;
}

type Broken = Omit<Breach, 'rule'> | undefined;

/** A rule of the policy: what breaks it, and what the caller is told then. */
function rule<T>(
  pick: (policy: Policy) => Rule<T> | undefined,
  isBroken: (value: T, candidate: Candidate) => boolean,
  [code, sentence]: readonly [Code, string],
) {
  return (policy: Policy, candidate: Candidate): Broken => {
    const found = pick(policy);
    if (!found || !isBroken(found.value, candidate)) return undefined;
    return { ...modeOf(found), code, sentence };
  };
}

/** What a breach has of its rule. */
const modeOf = ({ mode, signInsFrom }: Rule<unknown>) => ({
  mode,
  ...(signInsFrom !== undefined && { signInsFrom }),
});

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

/** Whatever the demand is: its own authority speaks against the attestation. */
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

/** In the order in which they are evaluated: what is cheap to mend first, the model, then trust. */
const RULES: readonly (readonly [name: string, (policy: Policy, it: Candidate) => Broken])[] = [
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
