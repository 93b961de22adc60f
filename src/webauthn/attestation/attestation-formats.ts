import { type CborValue, isCborArray } from '../cbor.js';
import { ensure } from '../failure.js';
import { timeFaultOf } from '../certificates/certificate-path.js';
import { ensureAffordable, ensureAffordableKeys } from '../certificates/cost.js';
import { isHardwareKey, verifyAndroidKey } from './android/android-key.js';
import { verifyAndroidSafetyNet } from './android/android-safetynet.js';
import { verifyApple } from './apple.js';
import {
  statementMap,
  statementsOf,
  type AttestationFormat,
  type AttestationFormatName,
  type AttestationInput,
  type AttestationResult,
  type AttestationStatement,
} from './format.js';
import { verifyFidoU2f } from './fido-u2f.js';
import { verifyNone } from './none.js';
import { verifyPacked } from './packed.js';
import { verifyTpm } from './tpm/tpm.js';

/** Types of attestation by a certificate, as metadata names them (FIDO Registry §3.6.3). */
const CERTIFIED: readonly string[] = ['basic_full', 'attca', 'anonca'];
/** Apple's authenticators: Touch ID and Face ID, iCloud Keychain, and managed iCloud Keychain. */
const APPLE_MODELS: readonly string[] = [
  'f24a8e70-d0d3-f82c-2937-32523cc4de5a',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2',
];

/**
 * The formats: each has a file with the procedure, and a line here that states what its certificates prove.
 *
 * - `packed`, `fido-u2f`: the maker certifies the key, and the authenticator signs over its AAGUID: the model.
 * - `apple`: the same, but its authority attests only Apple's own models.
 * - `tpm`, `android-key`, `android-safetynet`: software on the machine or phone supplies the bytes to be
 *   certified, including the AAGUID: the platform.
 */
const SINGLE_FORMATS: Readonly<
  Record<Exclude<AttestationFormatName, 'compound'>, AttestationFormat>
> = {
  none: { verify: verifyNone, proves: 'nothing', stated: [] },
  packed: { verify: verifyPacked, proves: 'model', stated: CERTIFIED },
  'fido-u2f': { verify: verifyFidoU2f, proves: 'model', stated: CERTIFIED },
  apple: { verify: verifyApple, proves: 'model', stated: CERTIFIED, ownModels: APPLE_MODELS },
  'android-key': {
    verify: verifyAndroidKey,
    proves: 'platform',
    stated: CERTIFIED,
    isHardwareKey,
    outlivesCertificates: true,
    hasRevokedSerials: true,
  },
  tpm: { verify: verifyTpm, proves: 'platform', stated: ['attca'] },
  'android-safetynet': {
    verify: verifyAndroidSafetyNet,
    proves: 'platform',
    stated: CERTIFIED,
    // It attests the phone and the app, and says nothing about the key.
    isHardwareKey: () => false,
  },
};

/** A Map, not an object: an attacker chooses `fmt`, and `__proto__` must be a name like any other. */
const BY_NAME: ReadonlyMap<string, AttestationFormat> = new Map(Object.entries(SINGLE_FORMATS));

/** The entry of a format; `undefined` for `compound`, whose statements have their own. */
export function attestationFormat(name: string): AttestationFormat | undefined {
  return BY_NAME.get(name);
}

/**
 * Verifies the attestation statement, whatever its format (WebAuthn L3 §7.1 steps 21–22). If `at` is given, also
 * verifies that its certificates are valid at that time (`certificate-path`). Whether they are trusted is checked
 * separately, by `evaluateTrust`.
 */
export function verifyAttestation(name: string, input: AttestationInput): AttestationResult {
  const { statement, at } = input;
  const verify = name === 'compound' ? verifyCompound : BY_NAME.get(name)?.verify;
  ensure(verify !== undefined, 'attestation-format-unknown');
  ensureAffordable(statement);
  const result = verify(input);
  const statements = statementsOf({ format: name, ...result });
  ensureAffordableKeys(statements.flatMap(({ trustPath }) => trustPath));
  if (at !== undefined) statements.forEach((each) => checkTime(each, at));
  return result;
}

/**
 * Certificates that are expired or not yet valid attest nothing, regardless of their issuer (FIDO's conformance tests
 * Resp-5 F-6, F-7 and F-12).
 */
function checkTime({ format, trustPath }: AttestationStatement, at: Date): void {
  if (attestationFormat(format)?.outlivesCertificates) return;
  const fault = timeFaultOf(trustPath, at);
  ensure(fault === undefined, 'certificate-path', fault);
}

const MIN_STATEMENTS = 2;
/** More statements than any authenticator sends; each costs at least one verification. */
const MAX_STATEMENTS = 8;

/**
 * WebAuthn L3 §8.9 "Compound Attestation Statement Format", its verification procedure, for statements in the other
 * formats. The standard lets the relying party decide how many statements must be valid: here all of them, since a
 * wrong one is a lie or a fault.
 */
export function verifyCompound(input: AttestationInput): AttestationResult {
  const { statement } = input;
  ensure(isCborArray(statement), 'attestation-malformed', 'attStmt is not an array');
  const count = statement.length;
  ensure(count >= MIN_STATEMENTS, 'attestation-malformed', 'attStmt has too few statements');
  ensure(count <= MAX_STATEMENTS, 'attestation-malformed', 'attStmt has too many statements');
  const statements = statement.map(readPart).map(({ name, format, statement: inner }) => ({
    format: name,
    ...format.verify({ ...input, statement: inner }),
  }));
  const { type, trustPath } = strongest(statements);
  return { type, trustPath, statements };
}

function readPart(part: CborValue) {
  const members = statementMap(part, ['fmt', 'attStmt']);
  const name = members.get('fmt');
  const statement = members.get('attStmt');
  ensure(typeof name === 'string', 'attestation-malformed', 'fmt is not text');
  ensure(statement !== undefined, 'attestation-malformed', 'attStmt is missing');
  const format = BY_NAME.get(name);
  ensure(format !== undefined, 'attestation-format-unknown');
  return { name, format, statement };
}

/** The first statement with certificates, else the first that proves anything. */
function strongest(results: readonly AttestationResult[]): AttestationResult {
  return (
    results.find(({ trustPath }) => trustPath.length > 0) ??
    results.find(({ type }) => type !== 'none') ?? { type: 'none', trustPath: [] }
  );
}
