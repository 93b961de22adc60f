import { isDeepStrictEqual } from 'node:util';
import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { Account } from '../../platform/access/accounts/account.js';
import { REGISTRATION_MODES } from '../../platform/config/registration-modes.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { CrossFieldValidator, isObject } from '../../platform/validation/field-validator.js';
import { HasMembers } from '../../platform/validation/unknown-fields.js';
import { ATTESTATION_FORMATS, ATTESTATION_TYPES } from '../../webauthn/attestation/format.js';
import {
  CERTIFICATION_LEVELS,
  CERTIFICATION_PROFILES,
  FIPS_LEVELS,
  FIPS_REVISIONS,
} from '../../webauthn/metadata/certification.js';
import {
  KEY_PROTECTIONS,
  MATCHER_PROTECTIONS,
} from '../../webauthn/metadata/metadata-statement.js';
import { profileList, unknownMember, type Profile, type WrittenProfile } from './profiles.js';
import {
  RULE_MODES,
  audiences,
  backupRule,
  certificates,
  counterRule,
  oneOf,
  topOrigins,
  ruleAaguids,
  ruleAlgorithms,
  ruleNumber,
  ruleOneOf,
  ruleSomeOf,
  statusRule,
  trustRule,
  type PolicyValue,
  type PolicyRule,
} from './policy-value-types.js';

const REQUIREMENTS = ['required', 'preferred', 'discouraged'] as const;
/** What happens to a key whose registration would no longer be accepted. */
export const FINDING_ACTIONS = ['report', 'disable', 'refuse-next-sign-in'] as const;
export type FindingAction = (typeof FINDING_ACTIONS)[number];
/** W3C WebAuthn L3 §5.4.7, in ascending order of the information about the authenticator. */
export const CONVEYANCES = ['none', 'indirect', 'direct', 'enterprise'] as const;
export type Conveyance = (typeof CONVEYANCES)[number];

/** Only accounts decide who may register, whom to trust, which pages may embed a ceremony and what tokens may name. */
const BY_ACCOUNTS = {
  byApplications: false,
  inProfiles: false,
  onKeys: false,
  needsAttestation: false,
};
const BY_ALL = { ...BY_ACCOUNTS, byApplications: true };
/** Members that a profile may replace for its group. */
const IN_PROFILES = { ...BY_ALL, inProfiles: true };
/** Rules on the key itself, which can apply to sign-ins too. All other rules apply to the ceremony alone. */
const ON_KEYS = { ...IN_PROFILES, onKeys: true };
/** Rules on data that browsers omit unless a registration requests attestation. */
const ON_ATTESTATION = { ...ON_KEYS, needsAttestation: true };
const ON_KEYS_BY_ACCOUNTS = { ...ON_KEYS, byApplications: false };

/** The sections of the page that groups the members, in the page's order. */
export const SECTIONS = ['users', 'keys', 'models', 'proof', 'pages'] as const;
type Section = (typeof SECTIONS)[number];

interface PolicyMember<W, A> extends PolicyValue<W, A> {
  /** The section of the page that shows the member. */
  readonly section: Section;
  /** Whether an application key with the permission `policy:write` may change the member. */
  readonly byApplications: boolean;
  /** Whether a profile may replace the member for the users of its group. */
  readonly inProfiles: boolean;
  /** Whether the rule can apply to sign-ins. */
  readonly onKeys: boolean;
  /** Whether a registration must request attestation if the rule is on. */
  readonly needsAttestation: boolean;
}

const member = <W, A>(
  section: Section,
  value: PolicyValue<W, A>,
  flags: typeof BY_ACCOUNTS,
): PolicyMember<W, A> => ({ ...value, section, ...flags });

/** The members of `POLICY_MEMBERS` that apply to all users alike, unless a profile replaces them. */
const COMMON_MEMBERS = {
  registration: member('users', ruleOneOf(REGISTRATION_MODES), BY_ACCOUNTS),
  userVerification: member('users', ruleOneOf(REQUIREMENTS), IN_PROFILES),
  residentKey: member('users', ruleOneOf(REQUIREMENTS), ON_KEYS),
  backupEligible: member('keys', backupRule(), ON_KEYS),
  algorithms: member('keys', ruleAlgorithms(), ON_KEYS),
  /** In Unicode code points, of the authenticator's PIN (CTAP 2.1 §12.4). */
  minPinLength: member('keys', ruleNumber(4, 63), ON_KEYS_BY_ACCOUNTS),
  block: member('models', ruleAaguids(), ON_ATTESTATION),
  allow: member('models', ruleAaguids(), ON_ATTESTATION),
  formats: member('proof', ruleSomeOf<string>(ATTESTATION_FORMATS), ON_ATTESTATION),
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
  trust: member('proof', trustRule(), ON_KEYS_BY_ACCOUNTS),
  maxCredentials: member('users', ruleNumber(1, 100), IN_PROFILES),
  counter: member('keys', counterRule(), IN_PROFILES),
  /** Who may make the four calls: any client, or only applications with their keys. */
  callers: member('users', oneOf(['any', 'keys'], 'any'), BY_ACCOUNTS),
  /** The answer for names that cannot sign in: a refusal, or made-up keys as for all other users. */
  unknownUsers: member('users', oneOf(['refuse', 'pretend'], 'refuse'), BY_ACCOUNTS),
  /** Whether user names that differ only in case belong to two users or one. */
  usernames: member('users', oneOf(['exact', 'case-insensitive'], 'exact'), BY_ALL),
  onFinding: member('keys', oneOf(FINDING_ACTIONS, 'report'), IN_PROFILES),
  /** Whether a second implementation verifies registrations too, and the effect if it refuses one. */
  secondOpinion: member('proof', oneOf(RULE_MODES, 'off'), BY_ALL),
  /** Audiences for which a sign-in may request a token, besides the relying party. */
  audiences: member('pages', audiences(), BY_ACCOUNTS),
  attestation: member('proof', oneOf(CONVEYANCES, undefined), IN_PROFILES),
  aaguid: member('proof', oneOf(['verified', 'attested', 'reported'], 'verified'), {
    ...BY_ACCOUNTS,
    inProfiles: true,
  }),
  /** Origins of pages that may embed the ceremony in a cross-origin frame. */
  topOrigins: member('pages', topOrigins(), BY_ACCOUNTS),
  /** Trust anchors in addition to those of the metadata. */
  anchors: member('proof', certificates(), BY_ACCOUNTS),
};

type CommonMembers = typeof COMMON_MEMBERS;

/** The members of a stored policy that apply to all users, or those of a profile. */
type WrittenRules = {
  readonly [Name in keyof CommonMembers]?: CommonMembers[Name] extends PolicyMember<
    infer Written,
    unknown
  >
    ? Written
    : never;
};

/** Rules as they are applied: those that are off are `undefined`. */
type AppliedRules = {
  readonly [Name in keyof CommonMembers]: ReturnType<CommonMembers[Name]['read']>;
} & {
  /** When rules begin to apply to sign-ins, in ms since 1970; empty if none does. */
  readonly phases: readonly number[];
};

/**
 * What a relying party can demand beyond the server's options; the stricter of the two applies. Types, checks, the
 * OpenAPI document, the page's form and the permissions of application keys are derived from this table. The page
 * shows the members of a section in this order; docs/trust.md explains each member.
 */
export const POLICY_MEMBERS = {
  ...COMMON_MEMBERS,
  /** Other rules for users of a group. Users without such a group keep the common rules. */
  profiles: member(
    'users',
    profileList<WrittenRules, AppliedRules>(
      Object.entries(COMMON_MEMBERS).filter(([, { inProfiles }]) => inProfiles),
    ),
    BY_ACCOUNTS,
  ),
};

export type MemberName = keyof typeof POLICY_MEMBERS;

/** A policy as it is stored and edited. */
export type RelyingPartyPolicy = WrittenRules & {
  readonly profiles?: readonly WrittenProfile<WrittenRules>[];
};

/** A policy as it is applied. */
export type Policy = AppliedRules & {
  /** In order of precedence. */
  readonly profiles: readonly Profile<AppliedRules>[];
};

/** All members, in the order of the table. */
export const policyMembers = Object.entries(POLICY_MEMBERS) as readonly [
  MemberName,
  PolicyMember<unknown, unknown>,
][];

/** The policy of a relying party in the OpenAPI document; `docs/trust.md` explains it. */
export const POLICY_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  description:
    'Policy of the relying party. A rule is a value alone, which is enforced, or {"mode": ' +
    '"off" | "report" | "enforce", "value" | "list": …}; "report" lets the ceremony pass and ' +
    'creates an event.',
  properties: Object.fromEntries(
    // The decorators' own type of a property is narrower than a schema of the document.
    policyMembers.map(([name, { schema }]) => [name, schema as ApiPropertyOptions]),
  ),
  example: {
    userVerification: 'required',
    counter: 'disable',
    trust: { mode: 'report' },
    formats: { mode: 'enforce', list: ['packed'] },
  },
};

/** The value of an enforced rule; `undefined` if the rule is off or only reported. */
export const enforcedValue = <T>(rule: PolicyRule<T> | undefined): T | undefined =>
  rule?.mode === 'enforce' ? rule.value : undefined;

/** Whether a registration, and with it a query for registered users, requires a ticket or an application key. */
export const isGuarded = ({ registration, callers }: Policy): boolean =>
  callers === 'keys' || enforcedValue(registration) === 'ticket';

/** Reads a policy that `policyProblem` accepts. */
export function readPolicy(written: RelyingPartyPolicy): Policy {
  const applied = Object.fromEntries(
    policyMembers.map(([name, { read }]) => [name, read(written[name])]),
  ) as Omit<Policy, 'phases'>;
  const profiles = applied.profiles.map(({ rules, ...profile }) => {
    const phases = phasesOf({ ...applied, ...rules });
    return { ...profile, rules: { ...rules, phases } };
  });
  const phases = [...phasesOf(applied), ...profiles.flatMap(({ rules }) => rules.phases)];
  return { ...applied, profiles, phases };
}

const phasesOf = (rules: Omit<AppliedRules, 'phases'>): number[] =>
  policyMembers
    .filter(([, { onKeys }]) => onKeys)
    .flatMap(([name]) => {
      const rule = (rules as Readonly<Record<string, unknown>>)[name];
      return (rule as PolicyRule<unknown> | undefined)?.signInsFrom ?? [];
    });

/** The problem with the `policy` of a relying party: the member, and its valid values. */
export function policyProblem(value: unknown): Problem | undefined {
  if (!isObject(value)) return problem('policy.notObject');
  for (const [name, written] of Object.entries(value)) {
    const known = policyMembers.find(([other]) => other === name);
    if (!known) return unknownMember('policy', name, Object.keys(POLICY_MEMBERS));
    const [rule, { fits, problemOf }] = known;
    if (!fits(written)) return problemOf(rule, written);
  }
  return undefined;
}

const FollowsRules = CrossFieldValidator('isPolicy', policyProblem);

export const IsPolicy = (): PropertyDecorator =>
  applyDecorators(HasMembers(Object.keys(POLICY_MEMBERS)), FollowsRules());

/**
 * Returns the requested policy, which replaces `before`. If an application key requests it, the members that the key
 * may not change keep their values, whether the request omits or repeats them.
 *
 * @throws ApiError E0043R if a key would change one of them
 */
export function policyBy(
  { key }: Account,
  before: RelyingPartyPolicy,
  requested: RelyingPartyPolicy,
): RelyingPartyPolicy {
  if (!key) return requested;
  const closed = closedMembers(before);
  for (const [name, value] of Object.entries(closedMembers(requested))) {
    if (isDeepStrictEqual(value, closed[name])) continue;
    throw new ApiError('E0043R', 'applicationKey.policyMember', { rule: name });
  }
  return { ...requested, ...closed };
}

const closedMembers = (policy: RelyingPartyPolicy): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(policy).filter(([name]) => !POLICY_MEMBERS[name as MemberName].byApplications),
  );
