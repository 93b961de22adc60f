import { createPublicKey } from 'node:crypto';
import { register } from '../../../test/support/authenticator/ceremony.js';
import type { CborInput } from '../../../test/support/authenticator/cbor-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import {
  ALG,
  createKeyPair,
  generateRsaKey,
  type KeyPair,
  signWith,
} from '../../../test/support/authenticator/key-pair.js';
import {
  attestationRoot,
  type Attester,
  createAttester,
  STATEMENTS,
  type StatementWriter,
} from '../../../test/support/authenticator/statements.js';
import type { RegistrationTweaks } from '../../../test/support/authenticator/tweaks.js';
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

describe('§8.2 packed: any statement', () => {
  it.each<[string, Failure, StatementChange]>([
    ['alg missing (PK05)', 'attestation-malformed', member('alg', undefined)],
    ['alg null (PK05)', 'attestation-malformed', member('alg', null)],
    ['alg as text (PK05)', 'attestation-malformed', member('alg', 'ES256')],
    ['Resp-3 F-16: alg -42', 'attestation-algorithm', member('alg', -42)],
    ['sig missing (PK06)', 'attestation-malformed', member('sig', undefined)],
    ['sig null (PK06)', 'attestation-malformed', member('sig', null)],
    ['sig as text (PK06)', 'attestation-malformed', member('sig', 'sig')],
    ['sig empty (PK06)', 'attestation-malformed', member('sig', Buffer.alloc(0))],
    ['sig of 64 KB (PK06)', 'attestation-signature', member('sig', Buffer.alloc(65_536))],
    ['ecdaaKeyId (PK07)', 'attestation-malformed', member('ecdaaKeyId', Buffer.alloc(8))],
    ['__proto__ as a member (E20)', 'attestation-malformed', member('__proto__', 1)],
    ['an empty statement (PK04)', 'attestation-malformed', () => new Map()],
  ])('%s is refused: %s', (_title, failure, statement) => {
    expect(selfRefusal({ statement })).toBe(failure);
    expect(fullRefusal({ statement })).toBe(failure);
  });

  it('Resp-3 F-5: refuses a statement that is not a map', () => {
    expect(selfRefusal({ attStmt: [] })).toBe('attestation-malformed');
  });
});

describe('§8.2 packed: self attestation', () => {
  it('refuses an alg that differs from the algorithm of the credential key (PK02)', () => {
    expect(selfRefusal({ statement: member('alg', ALG.ES384) })).toBe('attestation-algorithm');
  });

  it('refuses a signature made with another key (PK03)', () => {
    expect(selfRefusal({ signingKey: createKeyPair(ALG.ES256) })).toBe('attestation-signature');
  });
});

describe('§8.2 packed: with certificates', () => {
  it('PK14, Resp-5 F-14: refuses a signature made with another key', () => {
    expect(fullRefusal({ signingKey: createKeyPair(ALG.ES256) })).toBe('attestation-signature');
  });

  it('refuses a signature over the client data hash followed by the authenticator data (PK24)', () => {
    const attestation: StatementWriter = (input) => {
      const { attester, clientDataHash, authData } = input;
      const sig = signWith(attester.keyPair, Buffer.concat([clientDataHash, authData]));
      return { fmt: 'packed', attStmt: member('sig', sig)(STATEMENTS.packed(input).attStmt) };
    };
    const refusal = failureOf(() => register({ device: { attestation, aaguid: AAGUID } }));
    expect(refusal).toBe('attestation-signature');
  });

  it('accepts eight certificates and refuses nine (PK12)', () => {
    const { keyPair, x5c } = createAttester(AAGUID);
    const [first = Buffer.alloc(0)] = x5c;
    const refusals = [8, 9].map((length) =>
      fullRefusal({}, { keyPair, x5c: Array.from({ length }, () => first) }),
    );
    expect(refusals).toEqual([undefined, 'attestation-malformed']);
  });

  it('Resp-5 F-3: treats a statement without x5c as self attestation and refuses its signature', () => {
    expect(fullRefusal({ statement: member('x5c', undefined) })).toBe('attestation-signature');
  });

  const pem = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const proper = createAttester(AAGUID);
  const leaf = proper.x5c[0] ?? Buffer.alloc(0);
  it.each<[string, Failure, CborInput]>([
    ['x5c empty (PK08)', 'attestation-malformed', []],
    ['x5c a map (PK08)', 'attestation-malformed', new Map()],
    ['x5c null (PK08)', 'attestation-malformed', null],
    ['x5c bytes (PK08)', 'attestation-malformed', leaf],
    ['an element as text (PK09)', 'attestation-malformed', ['cert']],
    ['text behind the leaf (PK09)', 'attestation-malformed', [leaf, 'cert']],
    ['an element empty (PK09)', 'attestation-certificate', [Buffer.alloc(0)]],
    ['garbage (PK09)', 'attestation-certificate', [Buffer.alloc(100, 7)]],
    ['PEM (PK09)', 'attestation-certificate', [pem]],
    ['a byte behind (PK09)', 'attestation-certificate', [Buffer.concat([leaf, Buffer.of(0)])]],
    ['garbage behind the leaf (PK09)', 'attestation-certificate', [leaf, Buffer.alloc(100, 7)]],
    ['100 certificates (PK12)', 'attestation-malformed', Array.from({ length: 100 }, () => leaf)],
    [
      'Resp-5 F-11: another certificate first',
      'attestation-signature',
      [attestationRoot().certificate, leaf],
    ],
  ])('%s is refused: %s', (_title, failure, x5c) => {
    expect(fullRefusal({ statement: member('x5c', x5c) }, proper)).toBe(failure);
  });

  it.each<[string, number]>([
    ['RS256', ALG.RS256],
    ['ES384', ALG.ES384],
    ['RS1', -65535],
  ])('refuses alg %s with a P-256 certificate (PK23)', (_name, alg) => {
    expect(fullRefusal({ statement: member('alg', alg) })).toBe('attestation-algorithm');
  });

  it('refuses a weak certificate key (PK26)', () => {
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
