import type { CborInput } from '../authenticator/cbor-writer.js';
import { ALG } from '../authenticator/key-pair.js';
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

/** Public keys that must not be stored, whatever the format says of them (K26: `none` too). */
export const KEY_CASES: readonly RegistrationCase[] = [
  {
    title: 'K03 an algorithm that was not offered',
    code: 'E0039R',
    begin: { algorithms: ['es256'] },
    device: { algorithm: ALG.RS256 },
  },
  key('of more than 4 KiB, with a label that nobody knows', [[99, Buffer.alloc(4096)]]),
  key('of 44 KB, with a label that nobody knows', [[99, Buffer.alloc(44_000)]]),
  key('K01 no kty', [[LABEL.kty, undefined]]),
  key('K01 an unknown kty', [[LABEL.kty, 99]]),
  key('K01 kty as text', [[LABEL.kty, 'EC2']]),
  key('K02 no alg', [[LABEL.alg, undefined]]),
  key('K02 alg as text', [[LABEL.alg, 'ES256']]),
  key('K04 RS1', [[LABEL.alg, -65535]]),
  key('K05 ES256 on P-384', [[LABEL.crv, 2]]),
  key('K06 no curve', [[LABEL.crv, undefined]]),
  key('K07 OKP with ES256', [[LABEL.kty, 1]]),
  key('K07 RSA with ES256', [[LABEL.kty, 3]]),
  key('K08 EdDSA on X25519', [[LABEL.crv, 4]], ALG.EdDSA),
  key('K09 x of 31 bytes', [[LABEL.x, Buffer.alloc(31, 1)]]),
  key('K09 y of 33 bytes', [[LABEL.y, Buffer.alloc(33, 1)]]),
  key('K09 no y', [[LABEL.y, undefined]]),
  key('K10 a compressed point', [[LABEL.y, true]]),
  key('K11 a point off the curve', [[LABEL.x, Buffer.alloc(32, 1)]]),
  key('K11 the point (0, 0)', [
    [LABEL.x, Buffer.alloc(32)],
    [LABEL.y, Buffer.alloc(32)],
  ]),
  key('K12 Ed25519 of 31 bytes', [[LABEL.x, Buffer.alloc(31, 1)]], ALG.EdDSA),
  key('K17 an Ed25519 point of small order', [[LABEL.x, Buffer.alloc(32)]], ALG.EdDSA),
  key('K14 RSA without n', [[LABEL.n, undefined]], ALG.RS256),
  key('K15 RSA of 1024 bits', [[LABEL.n, Buffer.alloc(128, 0xff)]], ALG.RS256),
  key('K16 RSA of 8200 bits', [[LABEL.n, Buffer.alloc(1025, 0xff)]], ALG.RS256),
  key('K19 RSA with e = 1', [[LABEL.e, Buffer.of(1)]], ALG.RS256),
  key('K18 RSA with e = 2', [[LABEL.e, Buffer.of(2)]], ALG.RS256),
  key('K20 a private key', [[LABEL.d, Buffer.alloc(32, 9)]]),
  { title: 'K24 no map', code: 'E0039R', tweaks: { coseKeyBytes: Buffer.of(0x80) } },
];
