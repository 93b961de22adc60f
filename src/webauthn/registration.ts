import { aaguidText } from './aaguid.js';
import { RS1 } from './algorithms.js';
import { readAttestationObject } from './attestation/attestation-object.js';
import type { AttestationStatement } from './attestation/format.js';
import { verifyAttestation } from './attestation/registry.js';
import {
  type AttestedAuthenticatorData,
  type AttestedCredential,
  type ExtensionOutputs,
  FLAG,
  hasFlag,
  parseAttestedAuthenticatorData,
} from './authenticator-data.js';
import type { CborValue } from './cbor.js';
import { checkClientData, type ClientData, parseClientData } from './client-data.js';
import { acceptDecodedKey, readCoseKey, type VerificationKey } from './cose-key.js';
import { ensure } from './failure.js';
import { checkFlags } from './flags.js';

/** What the browser sent, decoded from Base64URL. */
export interface RegistrationResponse {
  readonly clientDataJSON: Buffer;
  readonly attestationObject: Buffer;
}

/** A registration whose formats are right, and nothing else yet. */
export interface ParsedRegistration {
  readonly clientData: ClientData;
  readonly format: string;
  readonly statement: CborValue;
  readonly authenticatorDataBytes: Buffer;
  readonly authenticatorData: AttestedAuthenticatorData;
}

export interface RegistrationExpectation {
  readonly challenge: string;
  readonly origins: readonly string[];
  readonly topOrigins: readonly string[];
  /** See `ClientDataExpectation`. */
  readonly unnamedTopOrigin?: boolean;
  readonly rpIdHash: Buffer;
  readonly userVerificationRequired: boolean;
  /** Nobody was asked to touch anything: a registration without a prompt. */
  readonly presenceWaived?: boolean;
  /** COSE identifiers that the creation options offered. */
  readonly algorithms: readonly number[];
  /** The credential ID outside the attestation object. */
  readonly credentialId: Buffer;
  /**
   * When the ceremony takes place. Where it is not said, the time of certificates is not looked at,
   * and android-safetynet is refused.
   */
  readonly at?: Date;
  /** Whether android-safetynet is checked, whose service has ended; it is not unless told so. */
  readonly endedFormats?: boolean;
  /** Whether the attestation statement is looked at; it is unless told otherwise. */
  readonly verifyStatement?: boolean;
}

export interface VerifiedRegistration {
  readonly credentialId: Buffer;
  /** The COSE_Key as it came. */
  readonly publicKey: Buffer;
  readonly algorithm: number;
  readonly signCount: number;
  /** As a hyphenated UUID in lower case. Attacker-chosen unless the attestation is trusted. */
  readonly aaguid: string;
  /** Of the authenticator data, as they came. */
  readonly flags: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  /** What the statement proves by itself; its trust is for `evaluateTrust`. */
  readonly attestation: AttestationStatement;
  readonly extensions: ExtensionOutputs;
}

/** The largest that is acceptable, ML-DSA-87, has 2,600 bytes. */
const MAX_KEY_BYTES = 4096;

/** A statement that nobody looked at says no more than none. */
const UNVERIFIED = { type: 'none', trustPath: [] } as const;

/** Formats only: client data first, then the attestation object and its authenticator data. */
export function parseRegistration(response: RegistrationResponse): ParsedRegistration {
  const clientData = parseClientData(response.clientDataJSON);
  const { format, statement, authData } = readAttestationObject(response.attestationObject);
  return {
    clientData,
    format,
    statement,
    authenticatorDataBytes: authData,
    authenticatorData: parseAttestedAuthenticatorData(authData),
  };
}

/**
 * Verifies a registration (WebAuthn L3 §7.1 steps 7–23). Whether its attestation is trusted
 * (steps 24–25) and whether the credential is known already (step 27) is for the caller to check.
 */
export function verifyRegistration(
  parsed: ParsedRegistration,
  expected: RegistrationExpectation,
): VerifiedRegistration {
  const { rpIdHash, flags, signCount, credential, extensions } = parsed.authenticatorData;
  checkClientData(parsed.clientData, { type: 'webauthn.create', ...expected });
  ensure(expected.credentialId.equals(credential.credentialId), 'credential-id-mismatch');
  ensure(expected.rpIdHash.equals(rpIdHash), 'rp-id-hash-mismatch');
  checkFlags(flags, expected);
  const key = acceptOfferedKey(credential, expected.algorithms);
  const attestation =
    expected.verifyStatement === false
      ? UNVERIFIED
      : verifyAttestation(parsed, { key, at: expected.at, endedFormats: expected.endedFormats });
  return {
    credentialId: credential.credentialId,
    publicKey: credential.publicKey,
    algorithm: key.alg,
    signCount,
    aaguid: aaguidText(credential.aaguid),
    flags,
    userVerified: hasFlag(flags, FLAG.userVerified),
    backupEligible: hasFlag(flags, FLAG.backupEligible),
    backedUp: hasFlag(flags, FLAG.backedUp),
    attestation: { format: parsed.format, ...attestation },
    extensions,
  };
}

/**
 * WebAuthn L3 §7.1 step 20. The key is checked under every format: `none` signs nothing. Its bytes are
 * kept as they came, labels included that nobody knows, so that whoever holds the ceremony can
 * compare them: so they are bounded.
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
