import type { AttestedAuthenticatorData } from '../authenticator-data.js';
import type { CborValue } from '../cbor.js';
import type { ClientData } from '../client-data.js';
import { ensure } from '../failure.js';
import { verifyAndroidKey } from './android-key.js';
import { verifyAndroidSafetyNet } from './android-safetynet.js';
import { verifyApple } from './apple.js';
import { compoundVerifier } from './compound.js';
import type { AttestationInput, AttestationResult, AttestationVerifier } from './format.js';
import { verifyFidoU2f } from './fido-u2f.js';
import { verifyNone } from './none.js';
import { verifyPacked } from './packed.js';
import { verifyTpm } from './tpm.js';

/** The parsed registration, as far as attestation needs it. */
export interface AttestedRegistration {
  readonly clientData: ClientData;
  readonly format: string;
  readonly statement: CborValue;
  readonly authenticatorDataBytes: Buffer;
  readonly authenticatorData: AttestedAuthenticatorData;
}

/** A Map, not an object: `fmt` is hostile, and `__proto__` is a name like any other. */
const SINGLE_FORMATS: ReadonlyMap<string, AttestationVerifier> = new Map([
  ['none', verifyNone],
  ['packed', verifyPacked],
  ['fido-u2f', verifyFidoU2f],
  ['apple', verifyApple],
  ['android-key', verifyAndroidKey],
  ['tpm', verifyTpm],
  ['android-safetynet', verifyAndroidSafetyNet],
]);

const FORMATS: ReadonlyMap<string, AttestationVerifier> = new Map([
  ...SINGLE_FORMATS,
  ['compound', compoundVerifier(SINGLE_FORMATS)],
]);

/**
 * Attestation statement format identifiers that are verified; all others are refused, and so is
 * `android-safetynet` where the time of the ceremony is not told.
 */
export function supportedFormats(): readonly string[] {
  return [...FORMATS.keys()];
}

/**
 * Verifies the attestation statement of whatever format arrived (WebAuthn L3 §7.1 steps 22–23).
 * Whether its certificates are trusted is judged apart, by `judgeCertificatePath`.
 */
export function verifyAttestation(
  registration: AttestedRegistration,
  { key, at }: Pick<AttestationInput, 'key' | 'at'>,
): AttestationResult {
  const verify = FORMATS.get(registration.format);
  ensure(verify !== undefined, 'attestation-format-unknown');
  return verify({
    statement: registration.statement,
    authData: registration.authenticatorDataBytes,
    authenticatorData: registration.authenticatorData,
    clientDataHash: registration.clientData.hash,
    key,
    at,
  });
}
