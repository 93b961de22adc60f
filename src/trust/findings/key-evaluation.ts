import { Injectable } from '@nestjs/common';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { AttestationStatement, AttestationType } from '../../webauthn/attestation/format.js';
import { Admission } from '../admission.js';
import type { Breach } from '../policy-evaluation.js';

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
  constructor(private readonly admission: Admission) {}

  /**
   * The first rule that is enforced and that the key's registration would break today; `undefined` where
   * there is none, and for keys that cannot be judged: imported ones, those from before anything was
   * kept, and those whose statement nobody looked at. Of what registered before, the model still counts
   * where the registration had proved it.
   */
  breachOf(
    rp: RelyingParty,
    key: StoredKey,
    statement: AttestationStatement | undefined,
  ): Breach | undefined {
    if (key.importedFrom !== null) return undefined;
    const isKept = key.attestationAsked !== null;
    if (!isKept && !key.attestationTrusted) return undefined;
    if (isKept && !statement && key.attestationFormat !== 'none') return undefined;
    const { attestationFormat: format, attestationType: type } = key;
    const breaches = this.admission.review(
      rp,
      {
        ...key,
        aaguid: aaguidText(key.aaguid),
        attestation: statement ?? { format, type, trustPath: [] },
      },
      {
        attestationAsked: key.attestationAsked ?? false,
        residentKey: key.residentKey ?? undefined,
        credentials: 0,
        registeredAt: new Date(key.registeredAt),
      },
    );
    const counts = ({ rule }: Breach) =>
      isKept ? !OF_THE_CEREMONY.includes(rule) : OF_THE_MODEL.includes(rule);
    return breaches.find((breach) => breach.mode === 'enforce' && counts(breach));
  }
}
