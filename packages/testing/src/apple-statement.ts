import type { CborInput } from './cbor-writer.js';
import {
  type Authority,
  basicConstraints,
  name,
  OID,
  writeCertificate,
} from './certificate-writer.js';
import * as der from './der-writer.js';
import type { KeyPair } from './key-pair.js';
import { sha256 } from './structures.js';

const APPLE_NONCE = '1.2.840.113635.100.8.2';

/** The data that Apple certifies. */
interface AppleInput {
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  readonly keyPair: KeyPair;
}

/** `apple` (WebAuthn L3 §8.8): a certificate of the issuer for the credential's key and this ceremony. */
export function writeApple(issuer: Authority, { authData, clientDataHash, keyPair }: AppleInput) {
  const nonce = sha256(Buffer.concat([authData, clientDataHash]));
  const leaf = writeCertificate({
    subject: name([[OID.commonName, 'ServiceFido Test Credential']]),
    issuer,
    publicKey: keyPair.publicKey,
    extensions: [
      basicConstraints(false),
      { id: APPLE_NONCE, value: der.sequence(der.explicit(1, der.octetString(nonce))) },
    ],
  });
  return { fmt: 'apple', attStmt: new Map<string, CborInput>([['x5c', [leaf]]]) };
}
