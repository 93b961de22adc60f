import { createHash } from 'node:crypto';
import { type CborEntries, encodeCbor } from './cbor-writer.js';

/** Flags of authenticator data (WebAuthn L3 §6.1). */
export const FLAGS = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const;

export interface CredentialParts {
  readonly aaguid: Buffer;
  readonly credentialId: Buffer;
  /** COSE_Key, encoded. */
  readonly publicKey: Buffer;
}

export interface AuthenticatorDataParts {
  readonly rpIdHash: Buffer;
  /** Without AT and ED, which follow from the other members. */
  readonly flags: number;
  readonly signCount: number;
  readonly credential?: CredentialParts;
  readonly extensions?: CborEntries;
}

/** Writes authenticator data. */
export function writeAuthenticatorData(parts: AuthenticatorDataParts): Buffer {
  const { credential, extensions } = parts;
  const flags =
    parts.flags |
    (credential === undefined ? 0 : FLAGS.AT) |
    (extensions === undefined ? 0 : FLAGS.ED);
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(parts.signCount);
  return Buffer.concat([
    parts.rpIdHash,
    Buffer.of(flags),
    counter,
    credential === undefined ? Buffer.alloc(0) : writeCredential(credential),
    extensions === undefined ? Buffer.alloc(0) : encodeCbor(extensions),
  ]);
}

/** Writes attested credential data (WebAuthn L3 §6.5.1). */
function writeCredential({ aaguid, credentialId, publicKey }: CredentialParts): Buffer {
  const length = Buffer.of(credentialId.length >> 8, credentialId.length & 0xff);
  return Buffer.concat([aaguid, length, credentialId, publicKey]);
}

/** Writes clientDataJSON; members that are undefined are left out. */
export function writeClientData(members: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(JSON.stringify(members), 'utf8');
}

export function sha256(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest();
}

export function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}
