import { createPublicKey } from 'node:crypto';
import { register } from '../../../test/support/authenticator/ceremony.js';
import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import {
  ALG,
  createKeyPair,
  generateRsaKey,
  type KeyPair,
  signWith,
} from '../../../packages/testing/src/key-pair.js';
import {
  attestationRoot,
  type Attester,
  createAttester,
} from '../../../packages/testing/src/attester.js';
import { STATEMENTS, type StatementWriter } from '../../../packages/testing/src/statements.js';
import type { RegistrationTweaks } from '../../../packages/testing/src/tweaks.js';
import type { Failure } from '../failure.js';

const AAGUID = Buffer.alloc(16, 0xa1);

type StatementChange = (statement: Map<string, CborInput>) => Map<string, CborInput>;

/** The statement with one member changed; `undefined` removes it. */
function member(key: string, value: CborInput | undefined): StatementChange {
  return (statement) => {
    if (value === undefined) statement.delete(key);
    else statement.set(key, value);
    return statement;
  };
}

function selfRefusal(tweaks: RegistrationTweaks): string | undefined {
  return failureOf(() => register({ device: { attestation: 'packed-self' }, tweaks }));
}

function fullRefusal(tweaks: RegistrationTweaks, attester?: Attester): string | undefined {
  const device = { attestation: 'packed', aaguid: AAGUID } as const;
  const made = attester ?? createAttester(AAGUID);
  return failureOf(() => register({ device: { ...device, attester: made }, tweaks }));
}

describe('packed attestation (WebAuthn L3 §8.2)', () => {
  it.each<[string, Failure, StatementChange]>([
    ['alg missing', 'attestation-malformed', member('alg', undefined)],
    ['alg null', 'attestation-malformed', member('alg', null)],
    ['alg as text', 'attestation-malformed', member('alg', 'ES256')],
    ['alg -42', 'attestation-algorithm', member('alg', -42)],
    ['sig missing', 'attestation-malformed', member('sig', undefined)],
    ['sig null', 'attestation-malformed', member('sig', null)],
    ['sig as text', 'attestation-malformed', member('sig', 'sig')],
    ['sig empty', 'attestation-malformed', member('sig', Buffer.alloc(0))],
    ['sig of 64 KB', 'attestation-signature', member('sig', Buffer.alloc(65_536))],
    ['ecdaaKeyId', 'attestation-malformed', member('ecdaaKeyId', Buffer.alloc(8))],
    ['__proto__ as a member', 'attestation-malformed', member('__proto__', 1)],
    ['no members', 'attestation-malformed', () => new Map()],
  ])('refuses a packed statement with %s (%s)', (_title, failure, statement) => {
    expect(selfRefusal({ statement })).toBe(failure);
    expect(fullRefusal({ statement })).toBe(failure);
  });

  it('refuses a packed statement that is not a map', () => {
    expect(selfRefusal({ attStmt: [] })).toBe('attestation-malformed');
  });
});

describe('packed self attestation', () => {
  it('refuses a self attestation whose alg differs from the algorithm of the credential key', () => {
    expect(selfRefusal({ statement: member('alg', ALG.ES384) })).toBe('attestation-algorithm');
  });

  it('refuses a self attestation signed with another key', () => {
    expect(selfRefusal({ signingKey: createKeyPair(ALG.ES256) })).toBe('attestation-signature');
  });
});

describe('packed attestation with certificates', () => {
  it('refuses a packed statement signed with another key than that of the certificate', () => {
    expect(fullRefusal({ signingKey: createKeyPair(ALG.ES256) })).toBe('attestation-signature');
  });

  it('refuses a packed signature over the client data hash followed by the authenticator data', () => {
    const attestation: StatementWriter = (input) => {
      const { attester, clientDataHash, authData } = input;
      const sig = signWith(attester.keyPair, Buffer.concat([clientDataHash, authData]));
      return { fmt: 'packed', attStmt: member('sig', sig)(STATEMENTS.packed(input).attStmt) };
    };
    const refusal = failureOf(() => register({ device: { attestation, aaguid: AAGUID } }));
    expect(refusal).toBe('attestation-signature');
  });

  it('accepts eight packed certificates and refuses nine', () => {
    const { keyPair, x5c } = createAttester(AAGUID);
    const [first = Buffer.alloc(0)] = x5c;
    const refusals = [8, 9].map((length) =>
      fullRefusal({}, { keyPair, x5c: Array.from({ length }, () => first) }),
    );
    expect(refusals).toEqual([undefined, 'attestation-malformed']);
  });

  it('refuses a packed statement whose x5c was removed, by its signature as self attestation', () => {
    expect(fullRefusal({ statement: member('x5c', undefined) })).toBe('attestation-signature');
  });

  const pem = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const proper = createAttester(AAGUID);
  const leaf = proper.x5c[0] ?? Buffer.alloc(0);
  it.each<[string, Failure, CborInput]>([
    ['x5c empty', 'attestation-malformed', []],
    ['x5c a map', 'attestation-malformed', new Map()],
    ['x5c null', 'attestation-malformed', null],
    ['x5c bytes', 'attestation-malformed', leaf],
    ['text in x5c', 'attestation-malformed', ['cert']],
    ['text behind the leaf certificate', 'attestation-malformed', [leaf, 'cert']],
    ['an empty certificate', 'attestation-certificate', [Buffer.alloc(0)]],
    ['random bytes as a certificate', 'attestation-certificate', [Buffer.alloc(100, 7)]],
    ['a certificate in PEM', 'attestation-certificate', [pem]],
    [
      'a byte behind the certificate',
      'attestation-certificate',
      [Buffer.concat([leaf, Buffer.of(0)])],
    ],
    [
      'random bytes behind the leaf certificate',
      'attestation-certificate',
      [leaf, Buffer.alloc(100, 7)],
    ],
    ['100 certificates', 'attestation-malformed', Array.from({ length: 100 }, () => leaf)],
    ['another certificate first', 'attestation-signature', [attestationRoot().certificate, leaf]],
  ])('refuses a packed statement with %s (%s)', (_title, failure, x5c) => {
    expect(fullRefusal({ statement: member('x5c', x5c) }, proper)).toBe(failure);
  });

  it.each<[string, number]>([
    ['RS256', ALG.RS256],
    ['ES384', ALG.ES384],
    ['RS1', -65535],
  ])('refuses alg %s with a certificate on P-256', (_name, alg) => {
    expect(fullRefusal({ statement: member('alg', alg) })).toBe('attestation-algorithm');
  });

  it('refuses a packed certificate with a weak key', () => {
    const weak: KeyPair = { alg: ALG.RS256, ...generateRsaKey(1024) };
    expect(fullRefusal({}, createAttester(AAGUID, {}, weak))).toBe('attestation-certificate');
    const { publicKey, privateKey } = createKeyPair(ALG.RS256);
    const jwk = { ...publicKey.export({ format: 'jwk' }), e: 'AQ' };
    const open = {
      alg: ALG.RS256,
      privateKey,
      publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
    };
    expect(fullRefusal({}, createAttester(AAGUID, {}, open))).toBe('attestation-certificate');
  });
});
