import { createAttestedKey } from '../../../test/support/authenticator/attested-key.js';
import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import { ALG, type KeyPair, signWith } from '../../../packages/testing/src/key-pair.js';
import { createAttester } from '../../../packages/testing/src/attester.js';
import type { Failure } from '../failure.js';
import { verifyCompound } from './attestation-formats.js';

const SUBJECT = createAttestedKey();
const SIGNED = Buffer.concat([SUBJECT.authData, SUBJECT.clientDataHash]);
const ATTESTERS = [createAttester(SUBJECT.aaguid), createAttester(SUBJECT.aaguid)] as const;

const part = (fmt: CborInput, attStmt: CborInput) =>
  new Map<string, CborInput>([
    ['fmt', fmt],
    ['attStmt', attStmt],
  ]);
const packed = (keyPair: KeyPair, x5c?: readonly Buffer[]) =>
  part(
    'packed',
    new Map<string, CborInput>([
      ['alg', ALG.ES256],
      ['sig', signWith(keyPair, SIGNED)],
      ...(x5c === undefined ? [] : ([['x5c', x5c]] as const)),
    ]),
  );

const NONE = part('none', new Map());
const SELF = packed(SUBJECT.keyPair);
const FIRST = packed(ATTESTERS[0].keyPair, ATTESTERS[0].x5c);
const SECOND = packed(ATTESTERS[1].keyPair, ATTESTERS[1].x5c);
const TAMPERED = packed(ATTESTERS[0].keyPair);

const verify = (statement: CborInput) => verifyCompound(SUBJECT.input(statement));

describe('compound attestation (WebAuthn L3 §8.9)', () => {
  it.each<[string, readonly CborInput[], string, readonly Buffer[]]>([
    ['certificates before self attestation', [SELF, FIRST], 'basic', ATTESTERS[0].x5c],
    ['the first of two statements with certificates', [SECOND, FIRST], 'basic', ATTESTERS[1].x5c],
    ['self attestation before none', [NONE, SELF], 'self', []],
    ['none if there is no other type', [NONE, NONE], 'none', []],
    [
      'self attestation in eight statements',
      [SELF, SELF, SELF, SELF, SELF, SELF, SELF, NONE],
      'self',
      [],
    ],
  ])(
    'returns the type and path of a compound attestation: %s',
    (_title, statements, type, trustPath) => {
      expect(verify(statements)).toMatchObject({ type, trustPath });
    },
  );

  it('returns every statement of a compound attestation', () => {
    expect(verify([SELF, FIRST, NONE]).statements).toEqual([
      { format: 'packed', type: 'self', trustPath: [] },
      { format: 'packed', type: 'basic', trustPath: ATTESTERS[0].x5c },
      { format: 'none', type: 'none', trustPath: [] },
    ]);
  });

  it.each<[string, Failure, CborInput]>([
    ['no statement', 'attestation-malformed', []],
    ['one statement', 'attestation-malformed', [SELF]],
    ['nine statements', 'attestation-malformed', Array.from({ length: 9 }, () => NONE)],
    ['a bad statement behind a good one', 'attestation-signature', [SELF, TAMPERED]],
    ['a bad statement before a good one', 'attestation-signature', [TAMPERED, SELF]],
    ['an unknown format inside', 'attestation-format-unknown', [SELF, part('mock', new Map())]],
    [
      'a format named like a property of every object',
      'attestation-format-unknown',
      [SELF, part('toString', new Map())],
    ],
    [
      'another compound attestation inside',
      'attestation-format-unknown',
      [SELF, part('compound', [])],
    ],
    ['a map in place of statements', 'attestation-malformed', new Map()],
    ['text in place of statements', 'attestation-malformed', 'packed'],
    ['integers as statements', 'attestation-malformed', [1, 2]],
    ['byte strings as statements', 'attestation-malformed', [Buffer.of(1), Buffer.of(2)]],
    ['a format that is not text', 'attestation-malformed', [SELF, part(1, new Map())]],
    ['a statement without its format', 'attestation-malformed', [SELF, new Map()]],
    ['a format without its statement', 'attestation-malformed', [SELF, new Map([['fmt', 'none']])]],
    [
      'authenticator data of its own',
      'attestation-malformed',
      [SELF, new Map([...NONE, ['authData', SUBJECT.authData]])],
    ],
  ])('refuses a compound attestation with %s (%s)', (_title, failure, statement) => {
    expect(failureOf(() => verify(statement))).toBe(failure);
  });
});
