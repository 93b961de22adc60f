import fc from 'fast-check';
import { decodeBase64Url } from '../../src/webauthn/base64url.js';
import { CborError, type CborMap, type CborValue, decodeCbor } from '../../src/webauthn/cbor.js';
import { parseAttestedAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { coseMembers, createKeyPair, ALG } from '../../packages/testing/src/key-pair.js';
import { type CborInput, encodeCbor } from '../../packages/testing/src/cbor-writer.js';
import { sha256, writeAuthenticatorData } from '../../packages/testing/src/structures.js';
import { randomFrom, spoil } from '../support/fuzz/spoil.js';
import { refusalOf, TARGETS } from '../support/fuzz/targets.js';

const byName = TARGETS.map((target) => [target.name, target] as const);
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

describe('parsers of the core', () => {
  it.each(byName)(
    'the parser for %s accepts or refuses any bytes without another error',
    (_, target) => {
      fc.assert(fc.property(bytes(300), (input) => void refusalOf(target, input)));
    },
  );

  it.each(byName)(
    'the parser for %s accepts or refuses modified input without another error',
    (_, target) => {
      fc.assert(
        fc.property(fc.nat(), fc.constantFrom(...target.seeds), (state, seed) => {
          refusalOf(target, spoil(seed, randomFrom(state)));
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(byName)('the parser for %s accepts genuine input', (_, target) => {
    const taken = target.seeds.filter((seed) => refusalOf(target, seed) === undefined);
    // The key description stands inside certificates; an assertion's bytes are no signature.
    if (target.name !== 'key description' && target.name !== 'registration') {
      expect(taken).toEqual(target.seeds);
    }
  });

  it.each(byName)(
    'the parser for %s accepts or refuses input cut at any byte without another error',
    (_, target) => {
      for (const seed of target.seeds.filter(({ length }) => length < 2000)) {
        for (let end = 0; end < seed.length; end++) refusalOf(target, seed.subarray(0, end));
      }
    },
  );
});

/** Values of the profile as an authenticator writes them. */
const values = fc.letrec<{ value: CborInput }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.integer({ min: -(2 ** 32), max: 2 ** 32 - 1 }),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    bytes(40),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(
        fc.tuple(fc.oneof(fc.integer({ min: -99, max: 99 }), fc.string()), tie('value')),
        {
          maxLength: 4,
          selector: ([key]) => key,
        },
      )
      .map((entries) => new Map<number | string, CborInput>(entries)),
  ),
})).value;

function isWritable(value: CborValue): boolean {
  if (Array.isArray(value)) return value.every(isWritable);
  if (value instanceof Map) {
    return [...(value as CborMap)].every(([key, item]) => isWritable(key) && isWritable(item));
  }
  return typeof value !== 'number' || Math.abs(value) < 2 ** 32;
}

describe('encoding and decoding', () => {
  it('CBOR decoding returns an encoded value unchanged', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(decodeCbor(encodeCbor(value))).toEqual(value);
      }),
    );
  });

  it('CBOR decoding accepts only one encoding of each value', () => {
    fc.assert(
      fc.property(values, fc.nat(), (value, state) => {
        const input = spoil(encodeCbor(value), randomFrom(state));
        const read = readOf(input);
        if (read === undefined || !isWritable(read)) return;
        expect(encodeCbor(read as CborInput)).toEqual(input);
      }),
      { numRuns: 1000 },
    );
  });

  it('Base64URL decoding returns any bytes unchanged, from one text only', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ minLength: 1 }), (text, array) => {
        const input = Buffer.from(array);
        expect(decodeBase64Url(input.toString('base64url'))).toEqual(input);
        const decoded = decodeBase64Url(text);
        if (decoded !== undefined) expect(decoded.toString('base64url')).toBe(text);
      }),
    );
  });

  it('parsing authenticator data returns every member (W3C WebAuthn L3 §6.1)', () => {
    const publicKey = encodeCbor(coseMembers(createKeyPair(ALG.ES256)));
    const fixed = (length: number) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
    const credentialIds = fc
      .uint8Array({ minLength: 1, maxLength: 1023 })
      .map((array) => Buffer.from(array));
    fc.assert(
      fc.property(
        fixed(16),
        credentialIds,
        fc.nat({ max: 0x3f }),
        (aaguid, credentialId, flags) => {
          const parts = { rpIdHash: sha256('example.com'), flags, signCount: 0xffff_ffff };
          const written = writeAuthenticatorData({
            ...parts,
            credential: { aaguid, credentialId, publicKey },
          });
          expect(parseAttestedAuthenticatorData(written)).toMatchObject({
            ...parts,
            flags: flags | 0x40,
            credential: { aaguid, credentialId, publicKey },
          });
        },
      ),
    );
  });
});

function readOf(input: Buffer): CborValue | undefined {
  try {
    return decodeCbor(input);
  } catch (error) {
    if (error instanceof CborError) return undefined;
    throw error;
  }
}
