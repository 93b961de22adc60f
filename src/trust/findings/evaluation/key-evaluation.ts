import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/common/clock.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { aaguidText } from '../../../webauthn/aaguid.js';
import type {
  AttestationStatement,
  AttestationType,
} from '../../../webauthn/attestation/format.js';
import { Admission } from '../../admission.js';
import type { Breach } from '../../rule.js';
import { findingOf } from '../finding-of.js';
import type { ActingBreach } from '../finding-of.js';

/** What the evaluation of a stored key needs to know of it. */
export interface StoredKey {
  readonly aaguid: Buffer;
  readonly algorithm: number;
  readonly attestationFormat: string;
  readonly attestationType: AttestationType;
  readonly attestationTrusted: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly registeredAt: number;
  readonly importedFrom: string | null;
  /** `null` where nothing of the registration was stored. */
  readonly attestationAsked: boolean | null;
  readonly residentKey: boolean | null;
}

/**
 * Rules about the ceremony, not about the key: how many keys the user had, and whether the user was verified
 * then. Every sign-in verifies the user again.
 */
const OF_THE_CEREMONY: readonly string[] = ['maxCredentials', 'userVerification'];
/** Rules about the model alone, which can be evaluated where the proof was not stored. */
const OF_THE_MODEL: readonly string[] = ['block', 'status'];

/** Evaluates stored keys by today's rules for registrations. */
@Injectable()
export class KeyEvaluation {
  constructor(
    private readonly admission: Admission,
    private readonly clock: Clock,
  ) {}

  /** The finding about a key; `undefined` where it passes or cannot be judged. */
  findingOf(
    rp: RelyingParty,
    key: StoredKey,
    statement: AttestationStatement | undefined,
  ): ActingBreach | undefined {
    const breaches = this.breachesOf(rp, key, statement) ?? [];
    return findingOf(breaches, rp.policy, this.clock.now());
  }

  /**
   * The rules about the key that its registration would break today.
   *
   * @returns `undefined` for keys that cannot be judged: imported ones, those registered before proofs were
   *   stored, and those whose statement was not verified. Of keys registered before, the rules about the
   *   model still count where the registration had proved the model.
   */
  breachesOf(
    rp: RelyingParty,
    key: StoredKey,
    statement: AttestationStatement | undefined,
  ): readonly Breach[] | undefined {
    if (!isJudged(key, statement)) return undefined;
    const breaches = this.review(rp, key, { statement, credentials: 0 });
    return breaches.filter(({ rule }) =>
      isKept(key) ? !OF_THE_CEREMONY.includes(rule) : OF_THE_MODEL.includes(rule),
    );
  }

  /**
   * The rules that the same registration would break if it were done today.
   *
   * @param credentials how many keys the user had then
   * @returns `undefined` where the registration cannot be judged
   */
  breachesOfRegistration(
    rp: RelyingParty,
    key: StoredKey,
    { statement, credentials }: Reviewed,
  ): readonly Breach[] | undefined {
    if (!isKept(key) || !isJudged(key, statement)) return undefined;
    return this.review(rp, key, { statement, credentials });
  }

  private review(rp: RelyingParty, key: StoredKey, { statement, credentials }: Reviewed) {
    const { attestationFormat: format, attestationType: type } = key;
    return this.admission.review(
      rp,
      {
        ...key,
        aaguid: aaguidText(key.aaguid),
        attestation: statement ?? { format, type, trustPath: [] },
      },
      {
        attestationAsked: key.attestationAsked ?? false,
        residentKey: key.residentKey ?? undefined,
        credentials,
        registeredAt: new Date(key.registeredAt),
      },
    );
  }
}

interface Reviewed {
  readonly statement: AttestationStatement | undefined;
  readonly credentials: number;
}

/** Whether what the registration proved was stored. */
export const isKept = ({ attestationAsked }: StoredKey): boolean => attestationAsked !== null;

function isJudged(key: StoredKey, statement: AttestationStatement | undefined): boolean {
  if (key.importedFrom !== null) return false;
  if (!isKept(key)) return key.attestationTrusted;
  return statement !== undefined || key.attestationFormat === 'none';
}
