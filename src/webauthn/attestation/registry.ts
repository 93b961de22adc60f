import type { AttestedAuthenticatorData } from '../authenticator-data.js';
import type { CborValue } from '../cbor.js';
import type { ClientData } from '../client-data.js';
import type { VerificationKey } from '../cose-key.js';
import { ensure } from '../failure.js';
import { type AttestationResult, type AttestationVerifier, statementMap } from './format.js';
import { verifyFidoU2f } from './fido-u2f.js';
import { verifyNone } from './none.js';
import { verifyPacked } from './packed.js';

interface Format {
  readonly verify: AttestationVerifier;
  /** Members that its statement may have. */
  readonly members: readonly string[];
}

/** The parsed registration, as far as attestation needs it. */
export interface AttestedRegistration {
  readonly clientData: ClientData;
  readonly format: string;
  readonly statement: CborValue;
  readonly authenticatorDataBytes: Buffer;
  readonly authenticatorData: AttestedAuthenticatorData;
}

/** A Map, not an object: `fmt` is hostile, and `__proto__` is a name like any other. */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['none', { verify: verifyNone, members: [] }],
  ['packed', { verify: verifyPacked, members: ['alg', 'sig', 'x5c'] }],
  ['fido-u2f', { verify: verifyFidoU2f, members: ['sig', 'x5c'] }],
]);

/** Attestation statement format identifiers that are verified; all others are refused. */
export function supportedFormats(): readonly string[] {
  return [...FORMATS.keys()];
}

/**
 * Verifies the attestation statement of whatever format arrived (WebAuthn L3 §7.1 steps 22–23).
 * Whether its certificates are trusted is judged apart, by `judgeCertificatePath`.
 */
export function verifyAttestation(
  registration: AttestedRegistration,
  key: VerificationKey,
): AttestationResult {
  const format = FORMATS.get(registration.format);
  ensure(format !== undefined, 'attestation-format-unknown');
  return format.verify({
    statement: statementMap(registration.statement, format.members),
    authData: registration.authenticatorDataBytes,
    authenticatorData: registration.authenticatorData,
    clientDataHash: registration.clientData.hash,
    key,
  });
}
