import type { AttestationInput } from '../../../src/webauthn/attestation/format.js';
import { parseAttestedAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeCbor } from '../../../src/webauthn/cbor.js';
import { importCoseKey } from '../../../src/webauthn/keys/cose-key.js';
import { type CborInput, encodeCbor } from '../../../packages/testing/src/cbor-writer.js';
import {
  ALG,
  coseMembers,
  createKeyPair,
  type KeyPair,
} from '../../../packages/testing/src/key-pair.js';
import { FLAGS, sha256, writeAuthenticatorData } from '../../../packages/testing/src/structures.js';

/** A new credential for statements of any format, without a ceremony. */
export interface AttestedKey {
  readonly keyPair: KeyPair;
  readonly aaguid: Buffer;
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  /** The input of a format's verifier for this statement. */
  input(statement: CborInput): AttestationInput;
}

/** Makes a credential of the algorithm. */
export function createAttestedKey(
  alg: number = ALG.ES256,
  aaguid = Buffer.alloc(16, 0xa1),
): AttestedKey {
  const keyPair = createKeyPair(alg);
  const publicKey = encodeCbor(coseMembers(keyPair));
  const authData = writeAuthenticatorData({
    rpIdHash: sha256('example.com'),
    flags: FLAGS.UP | FLAGS.UV,
    signCount: 1,
    credential: { aaguid, credentialId: Buffer.alloc(32, 7), publicKey },
  });
  const clientDataHash = sha256('client data');
  return {
    keyPair,
    aaguid,
    authData,
    clientDataHash,
    input: (statement) => ({
      statement: decodeCbor(encodeCbor(statement)),
      authData,
      authenticatorData: parseAttestedAuthenticatorData(authData),
      clientDataHash,
      key: importCoseKey(publicKey),
      at: undefined,
    }),
  };
}
