import { keptAttestation } from '../../../users/attestations/evidence.js';
import type { KeptAttestation } from '../../../users/attestations/evidence.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { readAttestationObject } from '../../../webauthn/attestation/attestation-object.js';
import { verifyAttestation } from '../../../webauthn/attestation/registry.js';
import { parseAttestedAuthenticatorData } from '../../../webauthn/authenticator-data.js';
import { importCoseKey } from '../../../webauthn/keys/cose-key.js';
import { CeremonyError, ensure } from '../../../webauthn/failure.js';
import { userVerificationMethods } from '../../../webauthn/user-verification-methods.js';
import type { SourceKey } from '../formats/source.js';

interface Key {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
}

/**
 * Verifies the attestation that a file has of a key as at a registration, but without the validity of
 * certificates and without trust anchors: what it proves is kept as a fact.
 *
 * @returns `undefined` where the file has none
 * @throws ApiError E1009R where it does not prove this key
 */
export function attestationOf(
  { attestationObject, clientDataHash }: SourceKey,
  key: Key,
  { rs1 }: { readonly rs1: boolean },
): KeptAttestation | undefined {
  if (!attestationObject || !clientDataHash) return undefined;
  try {
    return verified({ attestationObject, clientDataHash }, key, rs1);
  } catch (error) {
    if (!(error instanceof CeremonyError)) throw error;
    throw new ApiError('E1009R', 'import.attestation', {}, { cause: error });
  }
}

function verified(
  { attestationObject, clientDataHash }: Signed,
  { credentialId, publicKey }: Key,
  rs1: boolean,
): KeptAttestation {
  const { format, statement, authData } = readAttestationObject(attestationObject);
  const authenticatorData = parseAttestedAuthenticatorData(authData);
  const { credential, extensions } = authenticatorData;
  const isOfKey =
    credential.credentialId.equals(credentialId) && credential.publicKey.equals(publicKey);
  ensure(isOfKey, 'attestation-mismatch', 'the attestation is of another key');
  const result = verifyAttestation(
    {
      clientData: { hash: clientDataHash },
      format,
      statement,
      authenticatorDataBytes: authData,
      authenticatorData,
    },
    { key: importCoseKey(publicKey, { rs1 }), at: undefined, endedFormats: true },
  );
  const uvm = userVerificationMethods(extensions);
  const signed = { attestationObject, clientDataHash, credentialId, publicKey };
  return keptAttestation({ format, ...result }, { ...signed, shared: [], uvm });
}

interface Signed {
  readonly attestationObject: Buffer;
  readonly clientDataHash: Buffer;
}
