import type { RegistrationMode } from '../config/server-options.js';
import { certificatesOfPem } from '../validation/pem.js';
import { algorithmNumber } from '../validation/algorithm-name.js';
import { ATTESTATION_TYPES } from '../webauthn/attestation/format.js';
import type { AttestationType } from '../webauthn/attestation/format.js';
import type {
  CertificationLevel,
  FipsLevel,
  FipsRevision,
} from '../webauthn/metadata/certification.js';
import type { StatusVerdict, StatusVerdicts } from '../webauthn/metadata/status.js';

/** What a broken rule means: nothing, an event while the ceremony passes, or the ceremony's end. */
export const MODES = ['off', 'report', 'enforce'] as const;
export type Mode = (typeof MODES)[number];

export type Requirement = 'required' | 'preferred' | 'discouraged';
/** What is done with a key whose registration would not pass any more. */
export const FINDING_ACTIONS = ['report', 'disable', 'refuse-next-sign-in'] as const;
export type FindingAction = (typeof FINDING_ACTIONS)[number];
export const CALLERS = ['any', 'keys'] as const;
export type Callers = (typeof CALLERS)[number];

/** What the begin call of a sign-in says of a name that cannot sign in. */
export const UNKNOWN_USERS = ['refuse', 'pretend'] as const;
export type UnknownUsers = (typeof UNKNOWN_USERS)[number];

/** Whether two user names that differ in their case alone are two users or one. */
export const USERNAMES = ['exact', 'case-insensitive'] as const;
export type Usernames = (typeof USERNAMES)[number];

/** W3C WebAuthn L3 §5.4.7. */
export type Conveyance = 'none' | 'indirect' | 'direct' | 'enterprise';
/**
 * Which attestation must be trusted: `known`, that of models that the metadata knows, where attestation
 * was asked for; `all`, every one.
 */
export const TRUST_DEMANDS = ['known', 'all'] as const;
export type TrustDemand = (typeof TRUST_DEMANDS)[number];

/** A rule as it is written: its value alone, which is enforced then, or with a mode. */
type Written<T> = T | ({ readonly mode: Mode; readonly value: T } & Phase);
type WrittenList =
  readonly string[] | ({ readonly mode: Mode; readonly list: readonly string[] } & Phase);

export const WHENS = ['registration', 'both'] as const;

/** Whether an enforced rule holds for registrations only or for sign-ins too, perhaps from a day (UTC) on. */
export interface Phase {
  readonly when?: (typeof WHENS)[number];
  /** `YYYY-MM-DD` */
  readonly from?: string;
}

/**
 * What a relying party demands beyond the server's options, as it is stored and edited; the stricter
 * of the two counts. `docs/trust.md` explains each member.
 */
export interface RelyingPartyPolicy {
  readonly attestation?: Conveyance;
  readonly aaguid?: 'verified' | 'attested' | 'reported';
  /** Trust anchors besides those of the metadata: certificates, PEM. */
  readonly anchors?: readonly string[];
  /** Origins of pages that may embed the ceremony in a cross-origin frame. */
  readonly topOrigins?: readonly string[];
  readonly userVerification?: Written<Requirement>;
  readonly residentKey?: Written<Requirement>;
  readonly registration?: Written<RegistrationMode>;
  /** Who may make the four calls: anybody, or applications with their keys alone. */
  readonly callers?: Callers;
  /** How names that cannot sign in are answered: refused, or as if they had keys like all others. */
  readonly unknownUsers?: UnknownUsers;
  /** How user names are compared. */
  readonly usernames?: Usernames;
  readonly onFinding?: FindingAction;
  /** Whether another implementation verifies registrations too, and what it means that it refuses. */
  readonly secondOpinion?: Mode;
  /** Audiences that a sign-in may ask a token for, besides the relying party. */
  readonly audiences?: readonly string[];
  /** What a signature counter that did not increase means: refuse, only record, or disable the key. */
  readonly counter?: Written<'reject' | 'warn' | 'disable'>;
  /** A mode alone is the mode of `all`. */
  readonly trust?:
    Mode | TrustDemand | ({ readonly mode: Mode; readonly value?: TrustDemand } & Phase);
  readonly formats?: WrittenList;
  /** Types of attestation as statements have them, such as `basic`. */
  readonly attestationTypes?: WrittenList;
  /** The least level of FIDO's certification. */
  readonly certification?: Written<CertificationLevel>;
  /** FIDO must have certified the model for one of these. */
  readonly certificationProfiles?: WrittenList;
  /** The least overall level of FIPS 140. */
  readonly fips?: Written<FipsLevel>;
  /** The oldest revision of FIPS 140. */
  readonly fipsRevision?: Written<FipsRevision>;
  /** The least level of physical security of FIPS 140. */
  readonly fipsPhysicalSecurity?: Written<FipsLevel>;
  /** The model's metadata must state one of these. */
  readonly keyProtection?: WrittenList;
  readonly matcherProtection?: WrittenList;
  readonly algorithms?: WrittenList;
  readonly allow?: WrittenList;
  readonly block?: WrittenList;
  readonly backupEligible?: Written<'allowed' | 'refused'>;
  readonly maxCredentials?: Written<number>;
  /** Verdicts by metadata status, such as `REVOKED`. */
  readonly status?: { readonly mode?: Mode } & Phase & {
      readonly [status: string]: Mode | StatusVerdict | string;
    };
}

/** A rule that is not off. */
export interface Rule<T> {
  readonly mode: Exclude<Mode, 'off'>;
  readonly value: T;
  /** Where it holds for sign-ins too: from when on, in ms since 1970. */
  readonly signInsFrom?: number;
}

/** A policy in the one form in which it is applied: rules that are off are `undefined`. */
export interface Policy {
  readonly attestation: Conveyance | undefined;
  readonly aaguid: 'verified' | 'attested' | 'reported';
  /** DER. */
  readonly anchors: readonly Buffer[];
  readonly topOrigins: readonly string[];
  readonly userVerification: Rule<Requirement> | undefined;
  readonly residentKey: Rule<Requirement> | undefined;
  readonly registration: Rule<RegistrationMode> | undefined;
  readonly callers: Callers;
  readonly unknownUsers: UnknownUsers;
  readonly usernames: Usernames;
  readonly onFinding: FindingAction;
  readonly secondOpinion: Mode;
  /** Audiences of tokens besides the relying party. */
  readonly audiences: readonly string[];
  readonly counter: 'reject' | 'warn' | 'disable' | 'off';
  /** `undefined` only where it is off; where the policy does not mention it, `known` is enforced. */
  readonly trust: Rule<TrustDemand> | undefined;
  readonly formats: Rule<readonly string[]> | undefined;
  readonly attestationTypes: Rule<readonly AttestationType[]> | undefined;
  readonly certification: Rule<CertificationLevel> | undefined;
  readonly certificationProfiles: Rule<readonly string[]> | undefined;
  readonly fips: Rule<FipsLevel> | undefined;
  readonly fipsRevision: Rule<FipsRevision> | undefined;
  readonly fipsPhysicalSecurity: Rule<FipsLevel> | undefined;
  readonly keyProtection: Rule<readonly string[]> | undefined;
  readonly matcherProtection: Rule<readonly string[]> | undefined;
  /** COSE numbers. */
  readonly algorithms: Rule<readonly number[]> | undefined;
  readonly allow: Rule<readonly string[]> | undefined;
  readonly block: Rule<readonly string[]> | undefined;
  readonly backupEligible: Rule<'refused'> | undefined;
  readonly maxCredentials: Rule<number> | undefined;
  /** `undefined` only where it is off; where the policy does not mention it, the defaults are enforced. */
  readonly status: Rule<StatusVerdicts> | undefined;
  /** When rules begin to hold for sign-ins, in ms since 1970; empty where none does. */
  readonly phases: readonly number[];
}

/** Rules about what the metadata state of a model. */
export const OF_METADATA = [
  'certification',
  'certificationProfiles',
  'fips',
  'fipsRevision',
  'fipsPhysicalSecurity',
  'keyProtection',
  'matcherProtection',
] as const satisfies readonly (keyof Policy)[];

/** The value of a rule that is enforced; `undefined` where it is off or only reported. */
export const enforced = <T>(rule: Rule<T> | undefined): T | undefined =>
  rule?.mode === 'enforce' ? rule.value : undefined;

/** Whether one needs a ticket or an application key to register, and so to ask who is registered. */
export const isGuarded = ({ registration, callers }: Policy): boolean =>
  callers === 'keys' || enforced(registration) === 'ticket';

/** Reads a policy with which `policyRule` finds no fault. */
export function readPolicy(written: RelyingPartyPolicy): Policy {
  const { backupEligible, algorithms } = written;
  const backup = ruleOf(backupEligible);
  const rules = {
    attestation: written.attestation,
    aaguid: written.aaguid ?? 'verified',
    anchors: (written.anchors ?? []).flatMap(certificatesOfPem),
    topOrigins: written.topOrigins ?? [],
    userVerification: ruleOf(written.userVerification),
    residentKey: ruleOf(written.residentKey),
    registration: ruleOf(written.registration),
    callers: written.callers ?? 'any',
    unknownUsers: written.unknownUsers ?? 'refuse',
    usernames: written.usernames ?? 'exact',
    onFinding: written.onFinding ?? 'report',
    secondOpinion: written.secondOpinion ?? 'off',
    audiences: written.audiences ?? [],
    counter: counterOf(written.counter),
    trust: trustOf(written.trust),
    formats: listOf(written.formats, asWritten),
    attestationTypes: listOf(written.attestationTypes, attestationType),
    certification: ruleOf(written.certification),
    certificationProfiles: listOf(written.certificationProfiles, asWritten),
    fips: ruleOf(written.fips),
    fipsRevision: ruleOf(written.fipsRevision),
    fipsPhysicalSecurity: ruleOf(written.fipsPhysicalSecurity),
    keyProtection: listOf(written.keyProtection, asWritten),
    matcherProtection: listOf(written.matcherProtection, asWritten),
    algorithms: listOf(algorithms, algorithmNumber),
    allow: listOf(written.allow, (aaguid) => aaguid.toLowerCase()),
    block: listOf(written.block, (aaguid) => aaguid.toLowerCase()),
    backupEligible:
      backup?.value === 'refused' ? { ...backup, value: 'refused' as const } : undefined,
    maxCredentials: ruleOf(written.maxCredentials),
    status: statusOf(written.status),
  };
  const { residentKey, formats, allow, block, trust, status } = rules;
  const ofKeys = [residentKey, rules.backupEligible, rules.algorithms, block, allow, formats];
  const ofModels = [rules.attestationTypes, ...OF_METADATA.map((name) => rules[name])];
  const phases = [...ofKeys, ...ofModels, status, trust].flatMap((rule) => rule?.signInsFrom ?? []);
  return { ...rules, phases };
}

const asWritten = (item: string): string => item;
const attestationType = (item: string): AttestationType | undefined =>
  ATTESTATION_TYPES.find((type) => type === item);

function moded<T>(mode: Mode, value: T, { when, from }: Phase = {}): Rule<T> | undefined {
  if (mode === 'off') return undefined;
  if (when !== 'both' || mode !== 'enforce') return { mode, value };
  return { mode, value, signInsFrom: from === undefined ? 0 : Date.parse(from) };
}

function ruleOf<T extends string | number>(written: Written<T> | undefined): Rule<T> | undefined {
  if (written === undefined) return undefined;
  return typeof written === 'object'
    ? moded(written.mode, written.value, written)
    : { mode: 'enforce', value: written };
}

/** Leaves out items that this process does not know, such as an algorithm of a newer runtime. */
function listOf<T>(
  written: WrittenList | undefined,
  read: (item: string) => T | undefined,
): Rule<readonly T[]> | undefined {
  if (written === undefined) return undefined;
  const { mode, list, ...phase } =
    'mode' in written ? written : { mode: 'enforce' as const, list: written };
  return moded(
    mode,
    list.map(read).filter((item) => item !== undefined),
    phase,
  );
}

function trustOf(written: RelyingPartyPolicy['trust'] = 'known'): Policy['trust'] {
  if (typeof written === 'object') return moded(written.mode, written.value ?? 'all', written);
  return written === 'known' || written === 'all'
    ? { mode: 'enforce', value: written }
    : moded(written, 'all');
}

/** `warn` is how `report` was written before there were modes. */
function counterOf(written: RelyingPartyPolicy['counter']): Policy['counter'] {
  if (written === undefined) return 'reject';
  if (typeof written === 'string') return written;
  if (written.mode === 'off') return 'off';
  return written.mode === 'report' ? 'warn' : written.value;
}

function statusOf(written: RelyingPartyPolicy['status'] = {}): Policy['status'] {
  const { mode = 'enforce', when, from, ...verdicts } = written;
  const phase = { ...(when && { when }), ...(from !== undefined && { from }) };
  return moded(mode, verdicts as StatusVerdicts, phase);
}
