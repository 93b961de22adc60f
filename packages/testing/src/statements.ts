import { writeAndroidKey, writeSafetyNet } from './android-statements.js';
import type { CborInput } from './cbor-writer.js';
import {
  aaguidExtension,
  ATTESTATION_SUBJECT,
  type Authority,
  basicConstraints,
  type CertificateParts,
  createAuthority,
  writeCertificate,
} from './certificate-writer.js';
import { ALG, createKeyPair, type KeyPair, rawPoint, signWith } from './key-pair.js';

/** Attestation that the authenticator can give. */
export type Attestation =
  'none' | 'packed-self' | 'packed' | 'fido-u2f' | 'android-key' | 'android-safetynet';

/** What a statement is about. */
export interface StatementInput {
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  readonly rpIdHash: Buffer;
  readonly credentialId: Buffer;
  readonly keyPair: KeyPair;
  /** The algorithm of the attestation key; its certificate matches. */
  readonly attester: Attester;
}

export interface Statement {
  readonly fmt: string;
  readonly attStmt: Map<string, CborInput>;
}

/** Writes a statement about a new credential. */
export type StatementWriter = (input: StatementInput) => Statement;

/** An attestation key and its certificates, leaf first. */
export interface Attester {
  readonly keyPair: KeyPair;
  readonly x5c: readonly Buffer[];
}

let root: Authority | undefined;

/** The root of all attestation certificates of this process: the anchor to trust in tests. */
export function attestationRoot(): Authority {
  root ??= createAuthority('ServiceFido Test Root');
  return root;
}

/**
 * An attestation key, by default a fresh one on P-256, and its certificate of {@link
 * attestationRoot}: proper, but for the parts that a test gives.
 */
export function createAttester(
  aaguid: Buffer,
  parts: Partial<CertificateParts> = {},
  keyPair = createKeyPair(ALG.ES256),
): Attester {
  const certificate = writeCertificate({
    subject: ATTESTATION_SUBJECT,
    issuer: attestationRoot(),
    extensions: [basicConstraints(false), aaguidExtension(aaguid)],
    ...parts,
    publicKey: keyPair.publicKey,
  });
  return { keyPair, x5c: [certificate] };
}

/** Writes the statement of each format (WebAuthn L3 §8.2, §8.4–§8.7). */
export const STATEMENTS: Readonly<Record<Attestation, StatementWriter>> = {
  none: () => ({ fmt: 'none', attStmt: new Map() }),

  'packed-self': ({ keyPair, authData, clientDataHash }) => ({
    fmt: 'packed',
    attStmt: new Map<string, CborInput>([
      ['alg', keyPair.alg],
      ['sig', signWith(keyPair, Buffer.concat([authData, clientDataHash]))],
    ]),
  }),

  packed: ({ attester, authData, clientDataHash }) => ({
    fmt: 'packed',
    attStmt: new Map<string, CborInput>([
      ['alg', attester.keyPair.alg],
      ['sig', signWith(attester.keyPair, Buffer.concat([authData, clientDataHash]))],
      ['x5c', attester.x5c],
    ]),
  }),

  'fido-u2f': ({ attester, rpIdHash, clientDataHash, credentialId, keyPair }) => ({
    fmt: 'fido-u2f',
    attStmt: new Map<string, CborInput>([
      [
        'sig',
        signWith(
          attester.keyPair,
          Buffer.concat([Buffer.of(0), rpIdHash, clientDataHash, credentialId, rawPoint(keyPair)]),
        ),
      ],
      ['x5c', attester.x5c],
    ]),
  }),

  'android-key': (input) => writeAndroidKey(attestationRoot(), input),
  'android-safetynet': (input) => writeSafetyNet(attestationRoot(), input),
};
