import type { Code } from '../platform/errors/catalogue.js';
import { problem, type PlainReason, type Problem } from '../platform/errors/reasons.js';
import type { MemberName, Policy } from '../tenancy/policy/policy.js';
import type { PolicyRule } from '../tenancy/policy/policy-value-types.js';
import type { AttestationType } from '../webauthn/attestation/format.js';
import type { MetadataEntry } from '../webauthn/metadata/metadata-statement.js';
import type { StatusEvaluation } from '../webauthn/metadata/status.js';

/** The facts about a verified registration that policy rules evaluate. */
export interface RegistrationFacts {
  /** Hyphenated, in lower case. */
  readonly aaguid: string;
  /** Whether the AAGUID is reliable; otherwise the authenticator only claims it. */
  readonly aaguidCounts: boolean;
  /** Whether the model is on the whitelist, proved or not; `undefined` if there is no whitelist. */
  readonly listed: boolean | undefined;
  /** Whether the AAGUID counts although nothing proves it, since no anchor is configured. */
  readonly unproved: boolean;
  readonly format: string;
  /** Attestation type of each statement (W3C WebAuthn L3 §6.5.3). */
  readonly attestationTypes: readonly AttestationType[];
  /** COSE identifier of the credential's algorithm. */
  readonly algorithm: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  /** `credProps.rk`; `undefined` if the browser did not report it. */
  readonly residentKey: boolean | undefined;
  /** Minimum length of the PIN in code points; 0 if the authenticator reports none, `undefined` if nothing is stored. */
  readonly minPinLength: number | undefined;
  /**
   * `broken`: the certificates form no valid path, whatever the anchors are; `revoked`: the path is valid,
   * but a certificate in it is revoked.
   */
  readonly trust: 'trusted' | 'untrusted' | 'broken' | 'revoked';
  /** Whether the metadata has an entry for the model that contradicts the requested attestation. */
  readonly disowned: boolean;
  /** Status of the model in the metadata, or of the phone in the list of revoked keys. */
  readonly status: StatusEvaluation;
  /** The metadata's entry of the model, if there is one. */
  readonly entry: Pick<MetadataEntry, 'statement' | 'statusReports'> | undefined;
  /** The time at which status and certification are evaluated: now. */
  readonly at: Date;
  /** Whether the status comes from the list of revoked phone keys. */
  readonly revoked: boolean;
  /** How many credentials the user has without this one. */
  readonly credentials: number;
}

/** A rule that a registration breaks. */
export interface RuleBreach {
  readonly rule: string;
  readonly mode: PolicyRule<unknown>['mode'];
  readonly code: Code;
  readonly problem: Problem;
  /** From when on the rule also applies to sign-ins, in ms since 1970; absent if it never does. */
  readonly signInsFrom?: number;
}

/** The result of a rule for a registration that breaks it; `undefined` if it does not. */
export type RuleOutcome =
  (Omit<RuleBreach, 'rule' | 'problem'> & { readonly problem?: Problem }) | undefined;

/** A rule's name, as in events and findings, and its evaluation. */
export type NamedRule = readonly [
  name: string,
  (policy: Policy, it: RegistrationFacts) => RuleOutcome,
];

type RuleName = {
  [Name in MemberName]: Policy[Name] extends PolicyRule<unknown> | undefined ? Name : never;
}[MemberName];
type ValueOf<Name extends RuleName> =
  NonNullable<Policy[Name]> extends PolicyRule<infer T> ? T : never;

/** Creates a policy rule. Without `reason`, its refusal has the reason `rule.broken`. */
export function createRule<Name extends RuleName>(
  name: Name,
  [code, reason]: readonly [Code, PlainReason?],
  isBroken: (value: ValueOf<Name>, candidate: RegistrationFacts) => boolean,
): NamedRule {
  return [
    name,
    (policy, candidate) => {
      const found = policy[name] as PolicyRule<ValueOf<Name>> | undefined;
      if (!found || !isBroken(found.value, candidate)) return undefined;
      return { ...modeOf(found), code, ...(reason && { problem: problem(reason) }) };
    },
  ];
}

/** The parts of a rule that a breach repeats. */
export const modeOf = ({ mode, signInsFrom }: PolicyRule<unknown>) => ({
  mode,
  ...(signInsFrom !== undefined && { signInsFrom }),
});
