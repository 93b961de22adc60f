import { FALLBACK_NAME } from '../../../users/credentials/key-label.js';
import { storedTransports } from '../../../users/credentials/transports.js';
import type { TransferredKey } from '../../../users/transfer/transferred.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import type { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { isDisplayName, displayNameOf } from '../../../platform/validation/values/names.js';
import { keypairJson } from '../../../platform/validation/values/keypair.js';
import { aaguidBytes, aaguidText, isAaguidText } from '../../../webauthn/aaguid.js';
import { importCoseKey } from '../../../webauthn/keys/cose-key.js';
import { CeremonyError, ensure } from '../../../webauthn/failure.js';
import type { FormatName } from '../formats/transfer-formats.js';
import type { SourceKey } from '../formats/source.js';
import {
  keptAttestation,
  type KeptAttestation,
  type SignedEvidence,
} from '../../../users/attestations/evidence.js';
import { readAttestationObject } from '../../../webauthn/attestation/attestation-object.js';
import { verifyAttestation } from '../../../webauthn/attestation/attestation-formats.js';
import { parseAttestedAuthenticatorData } from '../../../webauthn/authenticator-data.js';
import { userVerificationMethods } from '../../../webauthn/user-verification-methods.js';
import { byteOf, readCounter, readFlag, readTimeValue, wordsOf } from './values.js';

/**
 * Verifies the attestation of a key in a file as at a registration, but without the validity of
 * certificates and without trust anchors: the result is stored as a fact.
 *
 * @returns `undefined` if the file contains none
 * @throws ApiError E1009R if it does not prove this key
 */
function attestationOf(
  { attestationObject, clientDataHash }: SourceKey,
  key: Pick<TransferredKey, 'credentialId' | 'publicKey'>,
  { rs1 }: ImportContext,
): KeptAttestation | undefined {
  if (!attestationObject || !clientDataHash) return undefined;
  try {
    return verified({ attestationObject, clientDataHash, ...key }, rs1);
  } catch (error) {
    if (!(error instanceof CeremonyError)) throw error;
    throw new ApiError('E1009R', 'import.attestation', {}, { cause: error });
  }
}

function verified(
  signed: SignedEvidence & Pick<TransferredKey, 'credentialId' | 'publicKey'>,
  rs1: boolean,
): KeptAttestation {
  const { credentialId, publicKey } = signed;
  const { format, statement, authData } = readAttestationObject(signed.attestationObject);
  const authenticatorData = parseAttestedAuthenticatorData(authData);
  const { credential, extensions } = authenticatorData;
  const isOfKey =
    credential.credentialId.equals(credentialId) && credential.publicKey.equals(publicKey);
  ensure(isOfKey, 'attestation-mismatch', 'the attestation is of another key');
  const result = verifyAttestation(format, {
    statement,
    authData,
    authenticatorData,
    clientDataHash: signed.clientDataHash,
    key: importCoseKey(publicKey, { rs1 }),
    at: undefined,
    acceptsEndedFormats: true,
  });
  const uvm = userVerificationMethods(extensions);
  return keptAttestation({ format, ...result }, { ...signed, shared: [], uvm });
}

/** The format of a file, the domain into which its users are imported, and what the rules of registrations need. */
export interface ImportContext {
  readonly format: FormatName;
  readonly domain: string;
  /** Whether keys count as user-verified if the file does not say so. */
  readonly assumeVerified: boolean;
  readonly now: number;
  /** Whether RS1 (RSA with SHA-1) is accepted, for FIDO's conformance tests. */
  readonly rs1: boolean;
  readonly models: AuthenticatorModels;
}

/** The maximum length of a credential ID in bytes (W3C WebAuthn L3 §4 "Credential ID"). */
const MAX_ID_BYTES = 1023;
const MAX_KEY_BYTES = 4096;
const NO_AAGUID = Buffer.alloc(16);
/** Names in the IANA registry of attestation formats, and similar words. */
const WORD = /^[\w-]{1,32}$/;
/** The number that `freeKeyName` appends to a name that another key of the user has. */
const NUMBERED = / \(\d{1,3}\)$/;

/**
 * Checks a key in a file by the rules of a registration.
 *
 * @throws ApiError with the code of a registration, otherwise E0045R
 */
export function checkedKey(source: SourceKey, context: ImportContext): TransferredKey {
  const { format, domain, now, models, assumeVerified } = context;
  const credentialId = idOf(source);
  if (source.rpId !== undefined && source.rpId !== null && source.rpId !== domain) {
    throw new ApiError('E0030R', 'import.rpId');
  }
  const { publicKey, algorithm } = publicKeyOf(source, context);
  const aaguid = aaguidOf(source.aaguid);
  const lastUsedAt = readTimeValue('lastUsedAt', source.lastUsedAt);
  const flag = (name: keyof SourceKey) => readFlag(name, source[name]);
  const proved = attestationOf(source, { credentialId, publicKey }, context);
  return {
    credentialId,
    publicKey,
    algorithm,
    signCount: readCounter('signCount', source.signCount),
    aaguid,
    deviceName: nameOf(source.deviceName, models.name(aaguidText(aaguid))),
    deviceMetadata: keypairOf(source.keypair),
    transports: storedTransports(transportsIn(source, format)),
    attestationFormat: proved?.evidence.format ?? wordOf(source.attestationFormat),
    attestationType: proved?.evidence.type ?? wordOf(source.attestationType),
    userVerified: flag('userVerified') ?? false,
    uvInitialized: flag('uvInitialized') ?? assumeVerified,
    madeUnderAuthority: flag('madeUnderAuthority') ?? false,
    backupEligible: flag('backupEligible') ?? null,
    backedUp: flag('backedUp') ?? false,
    enabled: flag('enabled') ?? true,
    registeredAt: Math.min(readTimeValue('createdAt', source.createdAt) ?? now, now),
    lastUsedAt: lastUsedAt === undefined ? null : Math.min(lastUsedAt, now),
    importedFrom: format,
    registrationFlags: byteOf('flags', source.registrationFlags) ?? null,
    attestationAsked: flag('attestationAsked') ?? null,
    residentKey: flag('residentKey') ?? null,
    kept: proved,
  };
}

/** The former name of the hybrid transport, which other servers stored. */
const CABLE = 'cable';

const transportsIn = ({ transports }: SourceKey, format: FormatName): readonly string[] =>
  wordsOf(transports).map((one) => (one === CABLE && format !== 'servicefido' ? 'hybrid' : one));

function idOf({ credentialId }: SourceKey): Buffer {
  if (!credentialId) throw new ApiError('E0006R', 'import.credentialId');
  if (credentialId.length <= MAX_ID_BYTES) return credentialId;
  throw new ApiError('E0006R', 'import.credentialIdLength', { most: MAX_ID_BYTES });
}

function publicKeyOf({ publicKey }: SourceKey, { rs1 }: ImportContext) {
  if (!publicKey) throw new ApiError('E0039R', 'import.publicKey');
  if (publicKey.length > MAX_KEY_BYTES) throw new ApiError('E0039R');
  try {
    return { publicKey, algorithm: importCoseKey(publicKey, { rs1 }).alg };
  } catch (error) {
    if (!(error instanceof CeremonyError)) throw error;
    throw new ApiError('E0039R', 'publicKey.unacceptable', {}, { cause: error });
  }
}

function aaguidOf(value: unknown): Buffer {
  if (value === undefined || value === null || value === '') return NO_AAGUID;
  if (isAaguidText(value)) return aaguidBytes(value.toLowerCase());
  throw new ApiError('E1000R', 'import.aaguid');
}

/** The key's name; an unsuitable one is replaced by the model's name instead of refusing the key. */
function nameOf(name: unknown, model: string | null): string {
  const isSuitable = typeof name === 'string' && isDisplayName(name.replace(NUMBERED, ''));
  return isSuitable ? displayNameOf(name) : (model ?? FALLBACK_NAME);
}

function keypairOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const json = keypairJson(value);
  if (json === undefined) throw new ApiError('E0023R');
  return json;
}

const wordOf = (value: unknown): string =>
  typeof value === 'string' && WORD.test(value) ? value : 'none';
