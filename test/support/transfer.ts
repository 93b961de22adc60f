import { randomBytes } from 'node:crypto';
import { encodeCbor } from '../../packages/testing/src/cbor-writer.js';
import { ALG, coseMembers, createKeyPair } from '../../packages/testing/src/key-pair.js';
import {
  SoftAuthenticator,
  type SoftCredential,
} from '../../packages/testing/src/soft-authenticator.js';
import type { AdminClient } from './admin-client.js';
import type { Answer } from './client.js';
import { filePart, multipart, postBody } from './list-upload.js';

/** Sends a file to the import of a relying party. */
export function postImport(
  admin: AdminClient,
  content: string | Uint8Array,
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const path = `/userapi/import?${new URLSearchParams(query).toString()}`;
  return postBody(admin, path, multipart([filePart(content, 'users.jsonl')]));
}

/** The lines of an export as objects: header, users, end. */
export function linesOf({ text }: Answer): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const jsonLinesOf = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A key that was registered with another server: its authenticator, and the data that the server stored. */
export interface ForeignKey {
  readonly authenticator: SoftAuthenticator;
  readonly credential: SoftCredential;
  /** COSE_Key. */
  readonly publicKey: Buffer;
}

interface ForeignSettings {
  readonly rpId: string;
  readonly handle: Buffer;
  readonly signCount?: number;
  readonly backupEligible?: boolean;
  readonly authenticator?: SoftAuthenticator;
}

/** Makes a key on an authenticator without any ceremony. */
export function foreignKey({ rpId, handle, signCount = 0, ...more }: ForeignSettings): ForeignKey {
  const { backupEligible = false } = more;
  const authenticator = more.authenticator ?? new SoftAuthenticator({ backupEligible });
  const credential: SoftCredential = {
    id: randomBytes(32),
    rpId,
    userHandle: handle.toString('base64url'),
    keyPair: createKeyPair(ALG.ES256),
    signCount,
  };
  authenticator.credentials.push(credential);
  return { authenticator, credential, publicKey: encodeCbor(coseMembers(credential.keyPair)) };
}
