import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../platform/access/accounts/account.js';
import { REGISTRATION_MODES } from '../../platform/config/server-options.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { RuleAmong, isObject } from '../../platform/validation/rule.js';
import { ATTESTATION_TYPES } from '../../webauthn/attestation/format.js';
import { supportedFormats } from '../../webauthn/attestation/registry.js';
import {
  CERTIFICATION_LEVELS,
  CERTIFICATION_PROFILES,
  FIPS_LEVELS,
  FIPS_REVISIONS,
} from '../../webauthn/metadata/certification.js';
import { KEY_PROTECTIONS, MATCHER_PROTECTIONS } from '../../webauthn/metadata/statement.js';
import {
  MODES,
  audiences,
  backupRule,
  certificates,
  counterRule,
  oneOf,
  origins,
  ruleAaguids,
  ruleAlgorithms,
  ruleNumber,
  ruleOneOf,
  ruleSomeOf,
  statusRule,
  trustRule,
  type PolicyValue,
  type Rule,
} from './policy-values.js';

const REQUIREMENTS = ['required', 'preferred', 'discouraged'] as const;
/** What is done with a key whose registration would no longer be accepted. */
export const FINDING_ACTIONS = ['report', 'disable', 'refuse-next-sign-in'] as const;
export type FindingAction = (typeof FINDING_ACTIONS)[number];
/** W3C WebAuthn L3 §5.4.7, from the least to the most information about the authenticator. */
export const CONVEYANCES = ['none', 'indirect', 'direct', 'enterprise'] as const;
export type Conveyance = (typeof CONVEYANCES)[number];

/** Only people decide who may register, whom to trust, which pages may embed a ceremony and what tokens may name. */
const BY_PEOPLE = { byApplications: false };
const BY_ALL = { byApplications: true };
/** Rules on the key itself. Sign-ins can be held to them too; the others are of the ceremony alone. */
const ON_KEYS = { byApplications: true, onKeys: true };
/** Rules on what browsers leave out unless a registration asks for attestation. */
const ON_ATTESTATION = { ...ON_KEYS, needsAttestation: true };

/** The sections of the page in which members are offered, in the page's order. */
export const SECTIONS = ['people', 'keys', 'models', 'proof', 'pages'] as const;
type Section = (typeof SECTIONS)[number];

interface PolicyMember<W, A> extends PolicyValue<W, A> {
  /** The section of the page that offers it. */
  readonly section: Section;
  /** Whether an application key with the scope `policy:write` may change it. */
  readonly byApplications: boolean;
  /** Whether sign-ins can be held to the rule. */
  readonly onKeys: boolean;
  /** Whether a registration must ask for attestation where the rule is on. */
  readonly needsAttestation: boolean;
}

interface MemberFlags extends Pick<PolicyMember<unknown, unknown>, 'byApplications'> {
  readonly onKeys?: boolean;
  readonly needsAttestation?: boolean;
}

const member = <W, A>(
  section: Section,
  value: PolicyValue<W, A>,
  { byApplications, onKeys = false, needsAttestation = false }: MemberFlags,
): PolicyMember<W, A> => ({ ...value, section, byApplications, onKeys, needsAttestation });

/**
 * What a relying party can demand beyond the server's options; the stricter of the two counts. Types, checks,
 * the OpenAPI document, the page's form and the rights of application keys all come from this table, in whose
 * order the page shows them within a section; docs/trust.md explains each member.
 */
export const POLICY_MEMBERS = {
  registration: member('people', ruleOneOf(REGISTRATION_MODES), BY_PEOPLE),
  userVerification: member('people', ruleOneOf(REQUIREMENTS), BY_ALL),
  residentKey: member('people', ruleOneOf(REQUIREMENTS), ON_KEYS),
  backupEligible: member('keys', backupRule(), ON_KEYS),
  algorithms: member('keys', ruleAlgorithms(), ON_KEYS),
  block: member('models', ruleAaguids(), ON_ATTESTATION),
  allow: member('models', ruleAaguids(), ON_ATTESTATION),
  formats: member('proof', ruleSomeOf([...supportedFormats()]), ON_ATTESTATION),
  attestationTypes: member('proof', ruleSomeOf(ATTESTATION_TYPES), ON_ATTESTATION),
  certification: member('models', ruleOneOf(CERTIFICATION_LEVELS), ON_ATTESTATION),
  certificationProfiles: member(
    'models',
    ruleSomeOf<string>(CERTIFICATION_PROFILES),
    ON_ATTESTATION,
  ),
  fips: member('models', ruleOneOf(FIPS_LEVELS), ON_ATTESTATION),
  fipsRevision: member('models', ruleOneOf(FIPS_REVISIONS), ON_ATTESTATION),
  fipsPhysicalSecurity: member('models', ruleOneOf(FIPS_LEVELS), ON_ATTESTATION),
  keyProtection: member('models', ruleSomeOf<string>(KEY_PROTECTIONS), ON_ATTESTATION),
  matcherProtection: member('models', ruleSomeOf<string>(MATCHER_PROTECTIONS), ON_ATTESTATION),
  status: member('models', statusRule(), ON_KEYS),
  trust: member('proof', trustRule(), { byApplications: false, onKeys: true }),
  maxCredentials: member('people', ruleNumber(100), BY_ALL),
  counter: member('keys', counterRule(), BY_ALL),
  /** Who may make the four calls: anybody, or applications with their keys alone. */
  callers: member('people', oneOf(['any', 'keys'], 'any'), BY_PEOPLE),
  /** How names that cannot sign in are answered: refused, or as if they had keys like all others. */
  unknownUsers: member('people', oneOf(['refuse', 'pretend'], 'refuse'), BY_PEOPLE),
  /** Whether two user names that differ in their case alone are two users or one. */
  usernames: member('people', oneOf(['exact', 'case-insensitive'], 'exact'), BY_ALL),
  onFinding: member('keys', oneOf(FINDING_ACTIONS, 'report'), BY_ALL),
  /** Whether another implementation verifies registrations too, and what it means that it refuses. */
  secondOpinion: member('proof', oneOf(MODES, 'off'), BY_ALL),
  /** Audiences that a sign-in may ask a token for, besides the relying party. */
  audiences: member('pages', audiences(), BY_PEOPLE),
  attestation: member('proof', oneOf(CONVEYANCES, undefined), BY_ALL),
  aaguid: member('proof', oneOf(['verified', 'attested', 'reported'], 'verified'), BY_PEOPLE),
  /** Origins of pages that may embed the ceremony in a cross-origin frame. */
  topOrigins: member('pages', origins(), BY_PEOPLE),
  /** Trust anchors besides those of the metadata. */
  anchors: member('proof', certificates(), BY_PEOPLE),
};

type Members = typeof POLICY_MEMBERS;
export type MemberName = keyof Members;

/** A policy as it is stored and edited. */
export type RelyingPartyPolicy = {
  readonly [Name in MemberName]?: Members[Name] extends PolicyMember<infer Written, unknown>
    ? Written
    : never;
};

/** A policy in the one form in which it is applied: rules that are off are `undefined`. */
export type Policy = {
  readonly [Name in MemberName]: ReturnType<Members[Name]['read']>;
} & {
  /** When rules begin to hold for sign-ins, in ms since 1970; empty where none does. */
  readonly phases: readonly number[];
};

/** All members, in the table's order. */
export const policyMembers = Object.entries(POLICY_MEMBERS) as readonly [
  MemberName,
  PolicyMember<unknown, unknown>,
][];

/** The value of a rule that is enforced; `undefined` where it is off or only reported. */
export const enforced = <T>(rule: Rule<T> | undefined): T | undefined =>
  rule?.mode === 'enforce' ? rule.value : undefined;

/** Whether one needs a ticket or an application key to register, and so to ask who is registered. */
export const isGuarded = ({ registration, callers }: Policy): boolean =>
  callers === 'keys' || enforced(registration) === 'ticket';

/** Reads a policy with which `policyProblem` finds no fault. */
export function readPolicy(written: RelyingPartyPolicy): Policy {
  const applied = Object.fromEntries(
    policyMembers.map(([name, { read }]) => [name, read(written[name])]),
  ) as Record<MemberName, unknown>;
  const phases = policyMembers
    .filter(([, { onKeys }]) => onKeys)
    .flatMap(([name]) => (applied[name] as Rule<unknown> | undefined)?.signInsFrom ?? []);
  return { ...applied, phases } as Policy;
}

/** What is wrong with the `policy` of a relying party: which member, and what it takes. */
export function policyProblem(value: unknown): Problem | undefined {
  if (!isObject(value)) return problem('policy.notObject');
  for (const [name, written] of Object.entries(value)) {
    const known = policyMembers.find(([other]) => other === name);
    if (!known) {
      return problem('policy.unknownMember', { names: Object.keys(POLICY_MEMBERS).join(', ') });
    }
    const [rule, { fits, problemOf }] = known;
    if (!fits(written)) return problemOf(rule);
  }
  return undefined;
}

/** The policy of a relying party, as `policyProblem` accepts it. */
export const IsPolicy = RuleAmong('isPolicy', policyProblem);

/**
 * The policy that takes the place of `before`: the one that is asked for. Where an application key asks,
 * the members that it may not change stay as they are, whether it leaves them out or repeats them.
 *
 * @throws ApiError E0043R where a key would change one of them
 */
export function policyBy(
  { key }: Account,
  before: RelyingPartyPolicy,
  asked: RelyingPartyPolicy,
): RelyingPartyPolicy {
  if (!key) return asked;
  const closed = closedMembers(before);
  for (const [name, value] of Object.entries(closedMembers(asked))) {
    if (isDeepStrictEqual(value, closed[name])) continue;
    throw new ApiError('E0043R', 'applicationKey.policyMember', { rule: name });
  }
  return { ...asked, ...closed };
}

const closedMembers = (policy: RelyingPartyPolicy): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(policy).filter(([name]) => !POLICY_MEMBERS[name as MemberName].byApplications),
  );
