import { aaguidText } from './aaguid.js';
import { RS1 } from './keys/algorithms.js';
import { readAttestationObject } from './attestation/attestation-object.js';
import type { AttestationInput, AttestationStatement } from './attestation/format.js';
import { verifyAttestation } from './attestation/attestation-formats.js';
import {
  checkFlags,
  AUTHENTICATOR_FLAG,
  hasFlag,
  parseAttestedAuthenticatorData,
  type AttestedCredential,
  type ExtensionOutputs,
  type FlagExpectation,
} from './authenticator-data.js';
import {
  checkClientData,
  type ClientData,
  type ClientDataExpectation,
  parseClientData,
} from './client-data.js';
import { acceptDecodedKey, readCoseKey, type VerificationKey } from './keys/cose-key.js';
import { ensure } from './failure.js';

/** The browser's response, decoded from Base64URL. */
export interface RegistrationResponse {
  readonly clientDataJSON: Buffer;
  readonly attestationObject: Buffer;
}

/** A registration whose formats have been checked, and nothing else. */
export interface ParsedRegistration extends Pick<
  AttestationInput,
  'statement' | 'authData' | 'authenticatorData'
> {
  readonly clientData: ClientData;
  readonly format: string;
}

export interface RegistrationExpectation
  extends Omit<ClientDataExpectation, 'type'>, FlagExpectation {
  readonly rpIdHash: Buffer;
  /** COSE identifiers of the algorithms in the creation options. */
  readonly algorithms: readonly number[];
  /** The credential ID in the response, outside the attestation object. */
  readonly credentialId: Buffer;
  /**
   * When the ceremony takes place. Without it, the validity periods of certificates are not checked, and
   * android-safetynet is refused.
   */
  readonly at?: Date;
  /** Whether android-safetynet, whose service has ended, is verified; by default it is refused. */
  readonly acceptsEndedFormats?: boolean;
  /** Whether the attestation statement is verified; by default it is. */
  readonly verifyStatement?: boolean;
}

export interface VerifiedRegistration {
  readonly credentialId: Buffer;
  /** The COSE_Key as received. */
  readonly publicKey: Buffer;
  readonly algorithm: number;
  readonly signCount: number;
  /** As a hyphenated UUID in lower case. Attacker-chosen unless the attestation is trusted. */
  readonly aaguid: string;
  /** Flags of the authenticator data as received. */
  readonly flags: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  /** What the statement alone proves; `evaluateTrust` decides whether it is trusted. */
  readonly attestation: AttestationStatement;
  readonly extensions: ExtensionOutputs;
}

/** The largest acceptable key, of ML-DSA-87, has 2,600 bytes. */
const MAX_KEY_BYTES = 4096;

/** Result for a statement that was not verified: it proves as little as `none`. */
const UNVERIFIED = { type: 'none', trustPath: [] } as const;

/** Checks formats only: client data first, then the attestation object and its authenticator data. */
export function parseRegistration(response: RegistrationResponse): ParsedRegistration {
  const clientData = parseClientData(response.clientDataJSON);
  const { format, statement, authData } = readAttestationObject(response.attestationObject);
  return {
    clientData,
    format,
    statement,
    authData,
    authenticatorData: parseAttestedAuthenticatorData(authData),
  };
}

/**
 * Verifies a registration (WebAuthn L3 §7.1 steps 7–22). The caller checks whether its attestation is trusted
 * (steps 23–24) and whether the credential is known already (step 26).
 */
export function verifyRegistration(
  parsed: ParsedRegistration,
  expected: RegistrationExpectation,
): VerifiedRegistration {
  const { rpIdHash, flags, signCount, credential, extensions } = parsed.authenticatorData;
  const { clientData, format } = parsed;
  checkClientData(clientData, { ...expected, type: 'webauthn.create' });
  ensure(expected.credentialId.equals(credential.credentialId), 'credential-id-mismatch');
  ensure(expected.rpIdHash.equals(rpIdHash), 'rp-id-hash-mismatch');
  checkFlags(flags, expected);
  const key = acceptOfferedKey(credential, expected.algorithms);
  const { at, acceptsEndedFormats } = expected;
  const attestation =
    expected.verifyStatement === false
      ? UNVERIFIED
      : verifyAttestation(format, {
          ...parsed,
          clientDataHash: clientData.hash,
          key,
          at,
          acceptsEndedFormats,
        });
  return {
    credentialId: credential.credentialId,
    publicKey: credential.publicKey,
    algorithm: key.alg,
    signCount,
    aaguid: aaguidText(credential.aaguid),
    flags,
    userVerified: hasFlag(flags, AUTHENTICATOR_FLAG.userVerified),
    backupEligible: hasFlag(flags, AUTHENTICATOR_FLAG.backupEligible),
    backedUp: hasFlag(flags, AUTHENTICATOR_FLAG.backedUp),
    attestation: { format, ...attestation },
    extensions,
  };
}

/**
 * WebAuthn L3 §7.1 step 20. The key is checked with every format, since `none` signs nothing. Its bytes are stored
 * as received, including unknown labels, so that they can be compared with the ceremony's; this is why their
 * length is limited.
 */
function acceptOfferedKey(
  { publicKey, cosePublicKey }: AttestedCredential,
  offered: readonly number[],
): VerificationKey {
  ensure(publicKey.length <= MAX_KEY_BYTES, 'key-not-acceptable', 'key is too large');
  const key = readCoseKey(cosePublicKey);
  ensure(offered.includes(key.alg), 'algorithm-not-offered', `COSE algorithm ${key.alg}`);
  return acceptDecodedKey(key, { rs1: offered.includes(RS1.id) });
}
