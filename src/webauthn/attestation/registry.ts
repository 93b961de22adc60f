import type { AttestedAuthenticatorData } from '../authenticator-data.js';
import type { CborValue } from '../cbor.js';
import type { ClientData } from '../client-data.js';
import { ensure } from '../failure.js';
import { verifyAndroidKey } from './android-key.js';
import { verifyAndroidSafetyNet } from './android-safetynet.js';
import { verifyApple } from './apple.js';
import { timeFaultOf } from './certificate-path.js';
import { compoundVerifier } from './compound.js';
import type {
  AttestationInput,
  AttestationResult,
  AttestationStatement,
  AttestationVerifier,
} from './format.js';
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
 * `android-safetynet`, whose service has ended, where it is not asked for.
 */
export function supportedFormats(): readonly string[] {
  return [...FORMATS.keys()];
}

/**
 * Verifies the attestation statement of whatever format arrived (WebAuthn L3 §7.1 steps 22–23),
 * and where the time is told that its certificates are in theirs (`certificate-path`). Whether its
 * certificates are trusted is judged apart, by `judgeCertificatePath`.
 */
export function verifyAttestation(
  registration: AttestedRegistration,
  { key, at, endedFormats }: Pick<AttestationInput, 'key' | 'at' | 'endedFormats'>,
): AttestationResult {
  const verify = FORMATS.get(registration.format);
  ensure(verify !== undefined, 'attestation-format-unknown');
  const result = verify({
    statement: registration.statement,
    authData: registration.authenticatorDataBytes,
    authenticatorData: registration.authenticatorData,
    clientDataHash: registration.clientData.hash,
    key,
    at,
    endedFormats,
  });
  if (at !== undefined) {
    const statements = result.statements ?? [{ ...result, format: registration.format }];
    statements.forEach((statement) => checkTime(statement, at));
  }
  return result;
}

/** Certificates of phones' own keys, which their makers put in once: they expire, and serve on. */
const TIMELESS = 'android-key';

/**
 * Certificates out of their time attest nothing, whoever made them (FIDO's conformance tests
 * Resp-5 F-6, F-7 and F-12).
 */
function checkTime({ format, trustPath }: AttestationStatement, at: Date): void {
  if (format === TIMELESS) return;
  const fault = timeFaultOf(trustPath, at);
  ensure(fault === undefined, 'certificate-path', fault);
}
