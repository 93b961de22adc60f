import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import {
  challengeIn,
  checkClientData,
  type ClientDataExpectation,
  parseClientData,
} from './client-data.js';

const CHALLENGE = 'AAECAwQFBgcICQoLDA0ODw';
const MEMBERS = { type: 'webauthn.get', challenge: CHALLENGE, origin: 'https://example.com' };
const EXPECTED: ClientDataExpectation = {
  type: 'webauthn.get',
  challenge: CHALLENGE,
  origins: ['https://example.com'],
  topOrigins: ['https://shop.example'],
};

const EVALUATED = ['tokenBinding', 'crossOrigin', 'topOrigin'];

const bytesOf = (members: unknown): Buffer => Buffer.from(JSON.stringify(members));

function parseFailure(bytes: Buffer | string): string | undefined {
  return failureOf(() => parseClientData(Buffer.from(bytes)));
}

function checkFailure(members: object, expected: Partial<ClientDataExpectation> = {}) {
  const parsed = parseClientData(bytesOf({ ...MEMBERS, ...members }));
  return failureOf(() => {
    checkClientData(parsed, { ...EXPECTED, ...expected });
  });
}

describe('parseClientData', () => {
  it('reads the members of client data and hashes the original bytes (WebAuthn L3 §7.1 steps 5–6, §7.2 steps 8–9)', () => {
    const bytes = Buffer.from(
      ` ${JSON.stringify({ ...MEMBERS, crossOrigin: true, topOrigin: 'https://shop.example' })}\n`,
    );
    expect(parseClientData(bytes)).toEqual({
      ...MEMBERS,
      crossOrigin: true,
      topOrigin: 'https://shop.example',
      hash: createHash('sha256').update(bytes).digest(),
    });
  });

  it('returns client data or a named failure for arbitrary bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json().map((json) => Buffer.from(json)),
          fc.uint8Array(),
        ),
        (bytes) => {
          expect([undefined, 'client-data-malformed', 'token-binding-present']).toContain(
            parseFailure(Buffer.from(bytes)),
          );
        },
      ),
    );
  });

  it('accepts additional members of client data with any names and values', () => {
    const name = fc.string().filter((text) => !EVALUATED.includes(text));
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }), (extra) => {
        expect(parseFailure(bytesOf({ ...extra, ...MEMBERS }))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['an empty byte string', ''],
    ['invalid JSON', '{'],
    ['null', 'null'],
    ['an array', '[]'],
    ['text', '"x"'],
    ['a number', '1'],
    [
      'JSON with a byte that is never UTF-8',
      Buffer.concat([bytesOf(MEMBERS).subarray(0, -2), Buffer.of(0xff, 0x22, 0x7d)]),
    ],
    ['JSON with an overlong UTF-8 form', Buffer.from('7b2261223a22c080227d', 'hex')],
    ['JSON with a lone UTF-8 continuation byte', Buffer.from('7b2261223a2280227d', 'hex')],
    ['JSON after two byte order marks', `\uFEFF\uFEFF${JSON.stringify(MEMBERS)}`],
    ['UTF-16', Buffer.from(`\uFEFF${JSON.stringify(MEMBERS)}`, 'utf16le')],
    ['JSON and a character behind it', `${JSON.stringify(MEMBERS)}x`],
    ['JSON and a NUL behind it', `${JSON.stringify(MEMBERS)}\0`],
    ['JSON with type twice', `{"type":"webauthn.create",${JSON.stringify(MEMBERS).slice(1)}`],
    ['JSON with challenge twice', `{"challenge":"AAAA",${JSON.stringify(MEMBERS).slice(1)}`],
    ['JSON with origin twice', `{"origin":"https://evil.com",${JSON.stringify(MEMBERS).slice(1)}`],
    [
      'JSON with type twice, once escaped',
      `{"\\u0074ype":"webauthn.create",${JSON.stringify(MEMBERS).slice(1)}`,
    ],
    [
      'JSON with origin twice, behind a brace in text',
      `{"x":"\\"}{","origin":"a",${JSON.stringify(MEMBERS).slice(1)}`,
    ],
  ])('refuses client data that is %s', (_title, bytes) => {
    expect(parseFailure(bytes)).toBe('client-data-malformed');
  });

  it.each([
    ['type missing', { type: undefined }],
    ['type null', { type: null }],
    ['type a number', { type: 1 }],
    ['type empty', { type: '' }],
    ['challenge missing', { challenge: undefined }],
    ['challenge empty', { challenge: '' }],
    ['challenge an array', { challenge: [CHALLENGE] }],
    ['challenge with padding', { challenge: `${CHALLENGE}==` }],
    ['challenge in the standard alphabet', { challenge: '++//' }],
    ['origin missing', { origin: undefined }],
    ['origin null', { origin: null }],
    ['origin an object', { origin: {} }],
    ['origin empty', { origin: '' }],
    ['crossOrigin as text', { crossOrigin: 'true' }],
    ['crossOrigin a number', { crossOrigin: 1 }],
    ['crossOrigin null', { crossOrigin: null }],
    ['topOrigin an array', { topOrigin: ['https://shop.example'] }],
  ])(
    'refuses client data with %s (WebAuthn L3 §7.1 steps 5–6, §7.2 steps 8–9)',
    (_title, members) => {
      expect(parseFailure(bytesOf({ ...MEMBERS, ...members }))).toBe('client-data-malformed');
    },
  );

  it('ignores members of client data that are inherited from the prototype', () => {
    const json = `{"__proto__":${JSON.stringify(MEMBERS)}}`;
    expect(parseFailure(json)).toBe('client-data-malformed');
  });

  it('strips one byte order mark from client data', () => {
    expect(parseFailure(`\uFEFF${JSON.stringify(MEMBERS)}`)).toBeUndefined();
  });

  it('decodes escapes in the member names of client data', () => {
    const escaped = JSON.stringify(MEMBERS).replace('type', '\\u0074ype');
    expect(parseClientData(Buffer.from(escaped)).type).toBe('webauthn.get');
  });

  it('accepts additional nested members of client data', () => {
    const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const json = `{ "extra" : ${nested} , ${JSON.stringify(MEMBERS).slice(1)}`;
    expect(parseFailure(json)).toBeUndefined();
  });

  it.each([{ status: 'present', id: 'x' }, { status: 'supported' }, {}, '', null, 'x'])(
    'refuses client data with tokenBinding %j',
    (tokenBinding) => {
      expect(parseFailure(bytesOf({ ...MEMBERS, tokenBinding }))).toBe('token-binding-present');
    },
  );
});

describe('checkClientData', () => {
  it('accepts the expected client data (WebAuthn L3 §7.2 steps 10–14)', () => {
    expect(checkFailure({})).toBeUndefined();
    expect(checkFailure({ crossOrigin: false })).toBeUndefined();
  });

  it.each(['webauthn.create', 'payment.get', 'Webauthn.Get', 'webauthn.get ', 'webauthn.get\0'])(
    'refuses client data of type %j (WebAuthn L3 §7.2 step 10)',
    (type) => {
      expect(checkFailure({ type })).toBe('client-data-type');
    },
  );

  it.each([CHALLENGE.slice(0, -2), `${CHALLENGE}AA`, CHALLENGE.toLowerCase().replace('w', 'A')])(
    'refuses client data with the challenge %s (WebAuthn L3 §7.2 step 11)',
    (challenge) => {
      expect(checkFailure({ challenge })).toBe('challenge-mismatch');
    },
  );

  it('refuses client data whose origin is not on the list (WebAuthn L3 §7.2 step 12)', () => {
    expect(checkFailure({ origin: 'http://example.com' })).toBe('origin-not-allowed');
  });

  it.each([
    ['crossOrigin without topOrigin', { crossOrigin: true }],
    ['topOrigin without crossOrigin', { topOrigin: 'https://shop.example' }],
    ['topOrigin with crossOrigin false', { crossOrigin: false, topOrigin: 'https://shop.example' }],
    ['topOrigin not on the list', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['topOrigin empty', { crossOrigin: true, topOrigin: '' }],
  ])('refuses client data with %s', (_title, members) => {
    expect(checkFailure(members)).toBe('cross-origin-not-allowed');
  });

  it('accepts a page embedded by a listed one (WebAuthn L3 §7.2 step 14)', () => {
    expect(checkFailure({ crossOrigin: true, topOrigin: 'https://shop.example' })).toBeUndefined();
  });

  it('accepts an unnamed embedding page only if the list contains "unknown"', () => {
    const unnamed = { topOrigins: ['unknown'] };
    expect(checkFailure({ crossOrigin: true }, unnamed)).toBeUndefined();
    for (const topOrigin of ['https://evil.example', 'unknown']) {
      const named = { crossOrigin: true, topOrigin };
      expect(checkFailure(named, unnamed)).toBe('cross-origin-not-allowed');
    }
  });

  it('reports the first fault of client data in the order of the specification', () => {
    const wrong = { type: 'x', challenge: 'AAAA', origin: 'x', crossOrigin: true };
    expect(checkFailure(wrong)).toBe('client-data-type');
    expect(checkFailure({ ...wrong, type: MEMBERS.type })).toBe('challenge-mismatch');
    const { type, challenge } = MEMBERS;
    expect(checkFailure({ ...wrong, type, challenge })).toBe('origin-not-allowed');
  });
});

describe('challengeIn', () => {
  it.each([
    ['client data', bytesOf(MEMBERS), CHALLENGE],
    ['client data behind a BOM', Buffer.from(`\uFEFF${JSON.stringify(MEMBERS)}`), CHALLENGE],
    [
      'client data with an invalid challenge',
      bytesOf({ challenge: 'not Base64URL!' }),
      'not Base64URL!',
    ],
    ['client data without a challenge', bytesOf({}), ''],
    ['client data whose challenge is an array', bytesOf({ challenge: [CHALLENGE] }), ''],
    ['null', Buffer.from('null'), ''],
    ['a text', bytesOf(CHALLENGE), ''],
    ['truncated JSON', Buffer.from('{"challenge":'), ''],
    ['no bytes', Buffer.alloc(0), ''],
  ])('reads the challenge from %s', (_, bytes, challenge) => {
    expect(challengeIn(bytes)).toBe(challenge);
  });

  it('returns a text for any bytes in place of client data', () => {
    const anything = fc.oneof(
      fc.json().map((json) => Buffer.from(json)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(fc.property(anything, (bytes) => typeof challengeIn(bytes) === 'string'));
  });
});
