import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import { ALG } from '../../../packages/testing/src/key-pair.js';
import type { RegistrationCase } from './bodies.js';

/** Members of a COSE_Key, by label. */
type Members = readonly (readonly [label: number, value: CborInput | undefined])[];

const LABEL = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, d: -4, n: -1, e: -2 } as const;

const key = (title: string, members: Members, alg: number = ALG.ES256): RegistrationCase => ({
  title,
  code: 'E0039R',
  device: { algorithm: alg },
  tweaks: {
    coseKey: (good) => {
      const spoiled = new Map(good);
      for (const [label, value] of members) {
        if (value === undefined) spoiled.delete(label);
        else spoiled.set(label, value);
      }
      return spoiled;
    },
  },
});

/** Public keys that must not be stored, whatever the format of the attestation. */
export const KEY_CASES: readonly RegistrationCase[] = [
  {
    title: 'the algorithm of the key was not offered',
    code: 'E0039R',
    begin: { algorithms: ['es256'] },
    device: { algorithm: ALG.RS256 },
  },
  key('the key has more than 4 KiB, with an unknown label', [[99, Buffer.alloc(4096)]]),
  key('the key has 44 KB, with an unknown label', [[99, Buffer.alloc(44_000)]]),
  key('the key has no kty', [[LABEL.kty, undefined]]),
  key('kty is unknown', [[LABEL.kty, 99]]),
  key('kty is a text', [[LABEL.kty, 'EC2']]),
  key('the key has no alg', [[LABEL.alg, undefined]]),
  key('alg of the key is a text', [[LABEL.alg, 'ES256']]),
  key('alg of the key is RS1', [[LABEL.alg, -65535]]),
  key('the key is one for ES256 on P-384', [[LABEL.crv, 2]]),
  key('the key has no curve', [[LABEL.crv, undefined]]),
  key('the key is an OKP key for ES256', [[LABEL.kty, 1]]),
  key('the key is an RSA key for ES256', [[LABEL.kty, 3]]),
  key('the key is one for EdDSA on X25519', [[LABEL.crv, 4]], ALG.EdDSA),
  key('x has 31 bytes', [[LABEL.x, Buffer.alloc(31, 1)]]),
  key('y has 33 bytes', [[LABEL.y, Buffer.alloc(33, 1)]]),
  key('the key has no y', [[LABEL.y, undefined]]),
  key('the point is compressed', [[LABEL.y, true]]),
  key('the point is not on the curve', [[LABEL.x, Buffer.alloc(32, 1)]]),
  key('the point is (0, 0)', [
    [LABEL.x, Buffer.alloc(32)],
    [LABEL.y, Buffer.alloc(32)],
  ]),
  key('an Ed25519 key has 31 bytes', [[LABEL.x, Buffer.alloc(31, 1)]], ALG.EdDSA),
  key('an Ed25519 point has a small order', [[LABEL.x, Buffer.alloc(32)]], ALG.EdDSA),
  key('an RSA key has no n', [[LABEL.n, undefined]], ALG.RS256),
  key('an RSA key has 1024 bits', [[LABEL.n, Buffer.alloc(128, 0xff)]], ALG.RS256),
  key('an RSA key has 8200 bits', [[LABEL.n, Buffer.alloc(1025, 0xff)]], ALG.RS256),
  key('e of an RSA key is 1', [[LABEL.e, Buffer.of(1)]], ALG.RS256),
  key('e of an RSA key is 2', [[LABEL.e, Buffer.of(2)]], ALG.RS256),
  key('the key contains a private key', [[LABEL.d, Buffer.alloc(32, 9)]]),
  { title: 'the key is no map', code: 'E0039R', tweaks: { coseKeyBytes: Buffer.of(0x80) } },
];
