import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { ApiError } from '../platform/errors/api-error.js';
import { brokenRule } from '../platform/errors/reasons.js';
import { enforcedValue, type Policy } from '../tenancy/policy/policy.js';
import { rulesOfEachProfile } from '../tenancy/policy/rules-for.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { certificatesOf, statementsOf } from '../webauthn/attestation/format.js';
import { isRevokedPhone } from '../webauthn/attestation/revoked-keys.js';
import {
  isBrokenPath,
  evaluateTrust,
  statusSubjectOf,
  type TrustVerdict,
} from '../webauthn/attestation/attestation-trust.js';
import type { MetadataEntry } from '../webauthn/metadata/metadata-statement.js';
import {
  evaluateStatus,
  reportsOnFirmware,
  type StatusReport,
} from '../webauthn/metadata/status.js';
import type { VerifiedRegistration } from '../webauthn/registration.js';
import type { ExtensionOutputs } from '../webauthn/authenticator-data.js';
import { AaguidList } from './whitelist/aaguid-list.js';
import { MetadataService } from './metadata/metadata.service.js';
import { Revocations } from './revocation/revocations.js';
import { breachesOf } from './policy-evaluation.js';
import type { RuleBreach, RegistrationFacts } from './rule.js';

/** Facts about a registration that are missing in its verified result. */
interface Circumstances {
  readonly attestationAsked: boolean;
  readonly residentKey: boolean | undefined;
  readonly credentials: number;
}

/** The parts of a registration, new or stored, that are evaluated. */
interface RegistrationToEvaluate extends Pick<
  VerifiedRegistration,
  'aaguid' | 'algorithm' | 'attestation' | 'userVerified' | 'backupEligible'
> {
  /** `undefined` if they were not stored. */
  readonly extensions: ExtensionOutputs | undefined;
}

interface RegistrationContext extends Circumstances {
  readonly registeredAt: Date;
}

/** A registration that may be stored. */
export interface AdmissionResult {
  /** Whether its attestation is trusted and proves hardware; tokens then contain `phrh`. */
  readonly trusted: boolean;
  /** Its certificates of authorities that lead to a trust anchor, DER. */
  readonly authorities: readonly Buffer[];
  /** Broken rules in mode `report`. */
  readonly reports: readonly RuleBreach[];
}

/**
 * Checks verified registrations (W3C WebAuthn L3 §7.1 steps 23–24): trust in the attestation, status of the
 * model, whitelist, and the relying party's policy. This is the last check of a ceremony.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly metadata: MetadataService,
    private readonly revocations: Revocations,
    private readonly whitelist: AaguidList,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** @throws ApiError with the code of the first enforced rule that the registration breaks */
  evaluate(
    rp: RelyingParty,
    verified: VerifiedRegistration,
    circumstances: Circumstances,
  ): AdmissionResult {
    const at = new Date(this.clock.now());
    const { verdict, breaches } = this.weigh(rp, verified, { registeredAt: at, ...circumstances });
    const refusal = breaches.find(({ mode }) => mode === 'enforce');
    if (refusal) {
      const detail = brokenRule(refusal.rule);
      throw ApiError.of(refusal.code, refusal.problem, { detail, cause: causeOf(verdict) });
    }
    const { trusted, isHardware, authorities = [] } = verdict;
    return { trusted: trusted && isHardware, authorities, reports: breaches };
  }

  /** The rules that a stored registration would break today. */
  review(
    rp: RelyingParty,
    evidence: RegistrationToEvaluate,
    then: RegistrationContext,
  ): readonly RuleBreach[] {
    return this.weigh(rp, evidence, then).breaches;
  }

  /**
   * Whether the rules about models refuse every new key of this model, for all users and for each profile. Firmware and
   * batch are not known here, so a status that concerns only some of them is judged as for a key that proves neither.
   */
  refusesModel({ policy }: RelyingParty, aaguid: string): boolean {
    if (this.whitelist.enabled && !this.whitelist.has(aaguid)) return true;
    const reports = this.metadata.index.byAaguid(aaguid)?.statusReports ?? [];
    const at = new Date(this.clock.now());
    return rulesOfEachProfile(policy).every(({ block, allow, status }) => {
      if (enforcedValue(block)?.includes(aaguid)) return true;
      if (enforcedValue(allow)?.includes(aaguid) === false) return true;
      const overrides = enforcedValue(status);
      if (overrides === undefined) return false;
      return evaluateStatus(reports, at, { overrides }).verdict === 'refuse';
    });
  }

  /**
   * Evaluates a registration: certificates must have been valid at its time; status and revocation are the current
   * ones.
   */
  private weigh(
    { policy }: RelyingParty,
    verified: RegistrationToEvaluate,
    { attestationAsked, registeredAt, ...circumstances }: RegistrationContext,
  ) {
    const { aaguid, attestation } = verified;
    const metadata = this.metadata.enabled ? this.metadata.index : undefined;
    const entry = metadata?.entryFor({ aaguid, trustPath: attestation.trustPath });
    const revoked = isRevokedPhone(attestation, this.revocations.phones.revoked);
    const { anchors } = policy;
    const { lists } = this.revocations;
    const verdict = evaluateTrust(verified, { metadata, anchors, lists, at: registeredAt });
    const subject = statusSubjectOf(attestation, verdict, entry);
    const statusReports = entry?.statusReports ?? [];
    const reports = [...statusReports, ...(revoked ? [REVOKED] : [])];
    this.revocations.request(verdict.chains ?? []);
    const proved = policy.aaguid === 'verified' ? verdict.proves === 'model' : undefined;
    const unproved = proved === false && this.isUnanchored(policy, verdict);
    const now = new Date(this.clock.now());
    const candidate: RegistrationFacts = {
      format: attestation.format,
      attestationTypes: statementsOf(attestation).map(({ type }) => type),
      entry: entry && {
        ...entry,
        statusReports: reportsOnFirmware(statusReports, subject.firmware),
      },
      at: now,
      aaguidCounts: unproved || (proved ?? (policy.aaguid === 'reported' || isCertified(verified))),
      unproved,
      listed: this.whitelist.enabled ? this.whitelist.has(aaguid) : undefined,
      trust: trustOf(verdict),
      disowned: attestationAsked && this.isDisowned(verified, entry, verdict),
      status: evaluateStatus(reports, now, { overrides: policy.status?.value, ...subject }),
      revoked,
      minPinLength: minPinLengthOf(verified),
      ...verified,
      ...circumstances,
    };
    return { verdict, breaches: breachesOf(this.demanded(policy, verified), candidate) };
  }

  /** Whether neither metadata nor the policy configures an anchor for the certificate. */
  private isUnanchored({ anchors }: Policy, { reason }: TrustVerdict): boolean {
    return !this.metadata.enabled && anchors.length === 0 && reason === 'no-anchors';
  }

  /** FIDO's conformance tests expect that a server with metadata trusts only models in the metadata. */
  private demanded(policy: Policy, { attestation }: RegistrationToEvaluate): Policy {
    const conforms = this.options.conformance && this.metadata.enabled;
    if (!conforms || attestation.type === 'none') return policy;
    return { ...policy, trust: { mode: 'enforce', value: 'all' } };
  }

  /**
   * Whether the metadata has an entry for the model that contradicts the attestation. The entry of a model without
   * attestation may say so (FIDO Registry §3.6.3 `none`). If statements are not verified, nothing can contradict,
   * and FIDO's conformance tests expect that `none` is accepted.
   */
  private isDisowned(
    { attestation: { type } }: RegistrationToEvaluate,
    entry: MetadataEntry | undefined,
    { trusted }: TrustVerdict,
  ): boolean {
    if (entry === undefined || trusted || !this.options.attestation) return false;
    const stated = entry.statement?.attestationTypes ?? [];
    return type !== 'none' || !(stated.includes('none') || this.options.conformance);
  }
}

/** Maps the verdict to the terms of a policy. */
function trustOf(verdict: TrustVerdict): RegistrationFacts['trust'] {
  if (verdict.trusted) return 'trusted';
  if (verdict.reason === 'revoked') return 'revoked';
  return isBrokenPath(verdict) ? 'broken' : 'untrusted';
}

/** CTAP 2.1 §12.4: authenticators report it only to relying parties that their owner has configured. */
function minPinLengthOf({ extensions }: RegistrationToEvaluate): number | undefined {
  const length = extensions?.get('minPinLength') ?? 0;
  return extensions && (typeof length === 'number' ? length : 0);
}

/** The status of a phone on the list of revoked keys, as metadata would report it. */
const REVOKED: StatusReport = { status: 'REVOKED', effectiveDate: undefined };

/** Whether the attestation has any certificate; its statement was verified before. */
const isCertified = ({ attestation }: RegistrationToEvaluate): boolean =>
  certificatesOf(attestation).length > 0;

/** Why the attestation is not trusted, for the log; callers only learn the rule. */
const causeOf = ({ reason }: TrustVerdict): Error | undefined =>
  reason === undefined ? undefined : new Error(`attestation is not trusted: ${reason}`);
