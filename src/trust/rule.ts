import type { Code } from '../errors/catalogue.js';
import type { Policy, Rule } from '../tenancy/policy.js';
import type { AttestationType } from '../webauthn/attestation/format.js';
import type { MetadataEntry } from '../webauthn/metadata/entry.js';
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
  /** Of each statement, as the format tells it (W3C WebAuthn L3 §6.5.3). */
  readonly attestationTypes: readonly AttestationType[];
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
  /** The metadata's entry of the model, where it has one. */
  readonly entry: Pick<MetadataEntry, 'statement' | 'statusReports'> | undefined;
  /** When the status and what is certified count: now. */
  readonly at: Date;
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

/** What a rule says of a registration that does not keep it. */
export type Broken = Omit<Breach, 'rule'> | undefined;

/** A rule of the policy: what breaks it, and what the caller is told then. */
export function rule<T>(
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
export const modeOf = ({ mode, signInsFrom }: Rule<unknown>) => ({
  mode,
  ...(signInsFrom !== undefined && { signInsFrom }),
});

/** A rule's name, as events and findings have it, and what it says. */
export type NamedRule = readonly [name: string, (policy: Policy, it: Candidate) => Broken];
