import { writeAndroidKey, writeSafetyNet } from './android-statements.js';
import { writeApple } from './apple-statement.js';
import { attestationRoot, type Attester } from './attester.js';
import type { CborInput } from './cbor-writer.js';
import { type KeyPair, rawPoint, signWith } from './key-pair.js';
import { writeTpm } from './tpm-statement.js';

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

const writePackedSelf: StatementWriter = ({ keyPair, authData, clientDataHash }) => ({
  fmt: 'packed',
  attStmt: new Map<string, CborInput>([
    ['alg', keyPair.alg],
    ['sig', signWith(keyPair, Buffer.concat([authData, clientDataHash]))],
  ]),
});

const writePacked: StatementWriter = ({ attester, authData, clientDataHash }) => ({
  fmt: 'packed',
  attStmt: new Map<string, CborInput>([
    ['alg', attester.keyPair.alg],
    ['sig', signWith(attester.keyPair, Buffer.concat([authData, clientDataHash]))],
    ['x5c', attester.x5c],
  ]),
});

/** Two statements with certificates: a server trusts it only if it trusts each of them. */
const writeCompound = (input: StatementInput) => ({
  fmt: 'compound',
  attStmt: [writePacked(input), writeAndroidKey(attestationRoot(), input)].map(
    ({ fmt, attStmt }) => new Map<string, CborInput>(Object.entries({ fmt, attStmt })),
  ),
});

/** Writes the statement of each format (WebAuthn L3 §8.2 – §8.9). */
export const STATEMENTS = {
  none: () => ({ fmt: 'none', attStmt: new Map<string, CborInput>() }),
  'packed-self': writePackedSelf,
  packed: writePacked,
  compound: writeCompound,

  'fido-u2f': ({ attester, rpIdHash, clientDataHash, credentialId, keyPair }: StatementInput) => ({
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

  'android-key': (input: StatementInput) => writeAndroidKey(attestationRoot(), input),
  'android-safetynet': (input: StatementInput) => writeSafetyNet(attestationRoot(), input),
  apple: (input: StatementInput) => writeApple(attestationRoot(), input),
  tpm: (input: StatementInput) => writeTpm(input),
};

/** Attestation that the authenticator can give. */
export type Attestation = keyof typeof STATEMENTS;
