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
    title: 'an algorithm that was not offered (K03)',
    code: 'E0039R',
    begin: { algorithms: ['es256'] },
    device: { algorithm: ALG.RS256 },
  },
  key('of more than 4 KiB, with a label that nobody knows', [[99, Buffer.alloc(4096)]]),
  key('of 44 KB, with a label that nobody knows', [[99, Buffer.alloc(44_000)]]),
  key('no kty (K01)', [[LABEL.kty, undefined]]),
  key('an unknown kty (K01)', [[LABEL.kty, 99]]),
  key('kty as text (K01)', [[LABEL.kty, 'EC2']]),
  key('no alg (K02)', [[LABEL.alg, undefined]]),
  key('alg as text (K02)', [[LABEL.alg, 'ES256']]),
  key('RS1 (K04)', [[LABEL.alg, -65535]]),
  key('ES256 on P-384 (K05)', [[LABEL.crv, 2]]),
  key('no curve (K06)', [[LABEL.crv, undefined]]),
  key('OKP with ES256 (K07)', [[LABEL.kty, 1]]),
  key('RSA with ES256 (K07)', [[LABEL.kty, 3]]),
  key('EdDSA on X25519 (K08)', [[LABEL.crv, 4]], ALG.EdDSA),
  key('x of 31 bytes (K09)', [[LABEL.x, Buffer.alloc(31, 1)]]),
  key('y of 33 bytes (K09)', [[LABEL.y, Buffer.alloc(33, 1)]]),
  key('no y (K09)', [[LABEL.y, undefined]]),
  key('a compressed point (K10)', [[LABEL.y, true]]),
  key('a point off the curve (K11)', [[LABEL.x, Buffer.alloc(32, 1)]]),
  key('the point (0, 0) (K11)', [
    [LABEL.x, Buffer.alloc(32)],
    [LABEL.y, Buffer.alloc(32)],
  ]),
  key('Ed25519 of 31 bytes (K12)', [[LABEL.x, Buffer.alloc(31, 1)]], ALG.EdDSA),
  key('an Ed25519 point of small order (K17)', [[LABEL.x, Buffer.alloc(32)]], ALG.EdDSA),
  key('RSA without n (K14)', [[LABEL.n, undefined]], ALG.RS256),
  key('RSA of 1024 bits (K15)', [[LABEL.n, Buffer.alloc(128, 0xff)]], ALG.RS256),
  key('RSA of 8200 bits (K16)', [[LABEL.n, Buffer.alloc(1025, 0xff)]], ALG.RS256),
  key('RSA with e = 1 (K19)', [[LABEL.e, Buffer.of(1)]], ALG.RS256),
  key('RSA with e = 2 (K18)', [[LABEL.e, Buffer.of(2)]], ALG.RS256),
  key('a private key (K20)', [[LABEL.d, Buffer.alloc(32, 9)]]),
  { title: 'no map (K24)', code: 'E0039R', tweaks: { coseKeyBytes: Buffer.of(0x80) } },
];
