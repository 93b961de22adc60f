import {
  ATTESTATION_FAILURES,
  decodeFirstCbor,
  isCborMap,
  withFailures,
  type CborFailures,
  type CborMap,
  type CborValue,
} from './cbor.js';
import { CeremonyError, ensure } from './failure.js';

/** The flags that a ceremony requires. */
export interface FlagExpectation {
  readonly userVerificationRequired: boolean;
  /** Whether the UP flag may be missing: only in a registration without a prompt (WebAuthn L3 §7.1 step 15). */
  readonly presenceWaived?: boolean;
}

/** Checks the flags of both ceremonies (WebAuthn L3 §7.1 steps 15–17, §7.2 steps 16–18). */
export function checkFlags(flags: number, expected: FlagExpectation): void {
  const present =
    expected.presenceWaived === true || hasFlag(flags, AUTHENTICATOR_FLAG.userPresent);
  ensure(present, 'user-not-present');
  const verified =
    !expected.userVerificationRequired || hasFlag(flags, AUTHENTICATOR_FLAG.userVerified);
  ensure(verified, 'user-not-verified');
  const consistent =
    hasFlag(flags, AUTHENTICATOR_FLAG.backupEligible) ||
    !hasFlag(flags, AUTHENTICATOR_FLAG.backedUp);
  ensure(consistent, 'backup-flags-inconsistent');
}

/** WebAuthn L3 §6.1 "flags". */
export const AUTHENTICATOR_FLAG = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attestedCredentialData: 0x40,
  extensionData: 0x80,
} as const;

export type ExtensionOutputs = ReadonlyMap<string, CborValue>;

/** WebAuthn L3 §6.1 "authenticator data" of an assertion. */
export interface AuthenticatorData {
  readonly rpIdHash: Buffer;
  readonly flags: number;
  readonly signCount: number;
  readonly extensions: ExtensionOutputs;
}

/** WebAuthn L3 §6.5.1 "attested credential data". */
export interface AttestedCredential {
  readonly aaguid: Buffer;
  readonly credentialId: Buffer;
  /** The COSE_Key as received. */
  readonly publicKey: Buffer;
  /** `publicKey`, decoded. */
  readonly cosePublicKey: CborValue;
}

export interface AttestedAuthenticatorData extends AuthenticatorData {
  readonly credential: AttestedCredential;
}

const RP_ID_HASH_BYTES = 32;
const FLAGS_AT = RP_ID_HASH_BYTES;
const SIGN_COUNT_AT = FLAGS_AT + 1;
const HEADER_BYTES = SIGN_COUNT_AT + 4;
const AAGUID_BYTES = 16;
/** WebAuthn L3 §4 "Credential ID": at most 1023 bytes. */
const MAX_CREDENTIAL_ID_BYTES = 1023;
const NO_EXTENSIONS: ExtensionOutputs = new Map();

const ASSERTION_FAILURES: CborFailures = {
  cut: 'authenticator-data-malformed',
  'left-over': 'authenticator-data-malformed',
  malformed: 'authenticator-data-malformed',
};

export function hasFlag(flags: number, flag: number): boolean {
  return (flags & flag) !== 0;
}

/** Parses the authenticator data of an assertion, which contains no attested credential data. */
export function parseAuthenticatorData(bytes: Buffer): AuthenticatorData {
  ensure(bytes.length >= HEADER_BYTES, 'authenticator-data-malformed', 'shorter than 37 bytes');
  const header = readHeader(bytes);
  const attested = hasFlag(header.flags, AUTHENTICATOR_FLAG.attestedCredentialData);
  ensure(!attested, 'authenticator-data-malformed', 'attested credential data in an assertion');
  return { extensions: readExtensions(bytes, HEADER_BYTES, ASSERTION_FAILURES), ...header };
}

/** Parses the authenticator data of a registration (WebAuthn L3 §6.5.1). */
export function parseAttestedAuthenticatorData(bytes: Buffer): AttestedAuthenticatorData {
  ensure(bytes.length >= HEADER_BYTES, 'data-cut', 'authenticator data is shorter than 37 bytes');
  const header = readHeader(bytes);
  if (!hasFlag(header.flags, AUTHENTICATOR_FLAG.attestedCredentialData)) {
    const empty =
      bytes.length === HEADER_BYTES || hasFlag(header.flags, AUTHENTICATOR_FLAG.extensionData);
    throw new CeremonyError(empty ? 'attestation-malformed' : 'data-left-over', 'AT is not set');
  }
  const { credential, end } = readCredential(bytes);
  return { credential, extensions: readExtensions(bytes, end, ATTESTATION_FAILURES), ...header };
}

function readHeader(bytes: Buffer): Omit<AuthenticatorData, 'extensions'> {
  return {
    rpIdHash: bytes.subarray(0, RP_ID_HASH_BYTES),
    flags: bytes.readUInt8(FLAGS_AT),
    signCount: bytes.readUInt32BE(SIGN_COUNT_AT),
  };
}

function readCredential(bytes: Buffer): { credential: AttestedCredential; end: number } {
  const lengthAt = HEADER_BYTES + AAGUID_BYTES;
  const idAt = lengthAt + 2;
  ensure(bytes.length >= lengthAt, 'aaguid-cut');
  ensure(bytes.length >= idAt, 'data-cut', 'ends before the credential ID length');
  const length = bytes.readUInt16BE(lengthAt);
  const keyAt = idAt + length;
  ensure(bytes.length >= keyAt, 'data-cut', 'ends inside the credential ID');
  // Not a length failure: the data is as long as it declares, but this length is not allowed.
  const allowed = length > 0 && length <= MAX_CREDENTIAL_ID_BYTES;
  ensure(allowed, 'attestation-malformed', 'credential ID is not of 1 to 1023 bytes');
  const { value, end } = withFailures(ATTESTATION_FAILURES, () => decodeFirstCbor(bytes, keyAt));
  const credential = {
    aaguid: bytes.subarray(HEADER_BYTES, lengthAt),
    credentialId: bytes.subarray(idAt, keyAt),
    publicKey: bytes.subarray(keyAt, end),
    cosePublicKey: value,
  };
  return { credential, end };
}

/** Reads everything after `offset`: the extension map if ED is set, else nothing. */
function readExtensions(bytes: Buffer, offset: number, failures: CborFailures): ExtensionOutputs {
  if (!hasFlag(bytes.readUInt8(FLAGS_AT), AUTHENTICATOR_FLAG.extensionData)) {
    ensure(bytes.length === offset, failures['left-over'], 'bytes after the authenticator data');
    return NO_EXTENSIONS;
  }
  const { value, end } = withFailures(failures, () => decodeFirstCbor(bytes, offset));
  ensure(isExtensionMap(value), failures.malformed, 'extensions are not a map with text keys');
  ensure(end === bytes.length, failures['left-over'], 'bytes after the extensions');
  return value;
}

function isExtensionMap(value: CborValue): value is CborMap & ExtensionOutputs {
  return isCborMap(value) && [...value.keys()].every((key) => typeof key === 'string');
}
