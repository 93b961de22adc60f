import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { AttestationStatement, AttestationType } from '../../webauthn/attestation/format.js';
import { Admission } from '../admission.js';
import type { Breach } from '../rule.js';
import { findingOf } from './finding-of.js';
import type { ActingBreach } from './finding-of.js';

/** A stored key, as far as its evaluation asks for it. */
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
  /** `null` where nothing of the registration was kept. */
  readonly attestationAsked: boolean | null;
  readonly residentKey: boolean | null;
}

/**
 * Not of the key: how many others there are, and whether its user was verified then; every sign-in
 * checks anew whether he is now.
 */
const OF_THE_CEREMONY: readonly string[] = ['maxCredentials', 'userVerification'];
/** What can be said of a model whose proof was not kept. */
const OF_THE_MODEL: readonly string[] = ['block', 'status'];

/** Holds stored keys against what holds for registrations now. */
@Injectable()
export class KeyEvaluation {
  constructor(
    private readonly admission: Admission,
    private readonly clock: Clock,
  ) {}

  /** What is found of a key; nothing where it passes, or cannot be judged. */
  findingOf(
    rp: RelyingParty,
    key: StoredKey,
    statement: AttestationStatement | undefined,
  ): ActingBreach | undefined {
    const breaches = this.breachesOf(rp, key, statement) ?? [];
    return findingOf(breaches, rp.policy, this.clock.now());
  }

  /**
   * The rules that the key's registration would break today, as far as they are of the key.
   *
   * @returns `undefined` for keys that cannot be judged: imported ones, those from before anything was kept,
   *   and those whose statement nobody looked at. Of what registered before, the model still counts where
   *   the registration had proved it.
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
   * The rules that the registration itself would break, done today as it was done then.
   *
   * @param credentials how many keys its user had
   * @returns `undefined` where it cannot be judged
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

/** Whether what its registration proved was kept. */
const isKept = ({ attestationAsked }: StoredKey): boolean => attestationAsked !== null;

function isJudged(key: StoredKey, statement: AttestationStatement | undefined): boolean {
  if (key.importedFrom !== null) return false;
  if (!isKept(key)) return key.attestationTrusted;
  return statement !== undefined || key.attestationFormat === 'none';
}
