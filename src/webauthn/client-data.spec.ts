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
  it('reads the members and hashes the original bytes', () => {
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

  it('counts members as JSON does, for any names and values (C06)', () => {
    const name = fc.string().filter((text) => !EVALUATED.includes(text));
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }), (extra) => {
        expect(parseFailure(bytesOf({ ...extra, ...MEMBERS }))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['nothing (C01)', ''],
    ['no JSON (C01)', '{'],
    ['null (C01)', 'null'],
    ['an array (C01)', '[]'],
    ['text (C01)', '"x"'],
    ['a number (C01)', '1'],
    [
      'a byte that is never UTF-8 (C02)',
      Buffer.concat([bytesOf(MEMBERS).subarray(0, -2), Buffer.of(0xff, 0x22, 0x7d)]),
    ],
    ['an overlong form (C02)', Buffer.from('7b2261223a22c080227d', 'hex')],
    ['a lone continuation (C02)', Buffer.from('7b2261223a2280227d', 'hex')],
    ['two byte order marks (C04)', `\uFEFF\uFEFF${JSON.stringify(MEMBERS)}`],
    ['UTF-16 (C04)', Buffer.from(`\uFEFF${JSON.stringify(MEMBERS)}`, 'utf16le')],
    ['bytes behind (C05)', `${JSON.stringify(MEMBERS)}x`],
    ['NUL behind (C05)', `${JSON.stringify(MEMBERS)}\0`],
    ['type twice (C06)', `{"type":"webauthn.create",${JSON.stringify(MEMBERS).slice(1)}`],
    ['challenge twice (C06)', `{"challenge":"AAAA",${JSON.stringify(MEMBERS).slice(1)}`],
    ['origin twice (C06)', `{"origin":"https://evil.com",${JSON.stringify(MEMBERS).slice(1)}`],
    [
      'type twice, once escaped (C06)',
      `{"\\u0074ype":"webauthn.create",${JSON.stringify(MEMBERS).slice(1)}`,
    ],
    [
      'origin twice, behind a brace in text (C06)',
      `{"x":"\\"}{","origin":"a",${JSON.stringify(MEMBERS).slice(1)}`,
    ],
  ])('%s is refused', (_title, bytes) => {
    expect(parseFailure(bytes)).toBe('client-data-malformed');
  });

  it.each([
    ['type missing (C08)', { type: undefined }],
    ['type null (C08)', { type: null }],
    ['type a number (C08)', { type: 1 }],
    ['type empty (C08)', { type: '' }],
    ['challenge missing (C12)', { challenge: undefined }],
    ['challenge empty (C12)', { challenge: '' }],
    ['challenge an array (C12)', { challenge: [CHALLENGE] }],
    ['challenge with padding (B16)', { challenge: `${CHALLENGE}==` }],
    ['challenge in the standard alphabet (B16)', { challenge: '++//' }],
    ['origin missing (C33)', { origin: undefined }],
    ['origin null (C33)', { origin: null }],
    ['origin an object (C33)', { origin: {} }],
    ['origin empty (C33)', { origin: '' }],
    ['crossOrigin as text (C42)', { crossOrigin: 'true' }],
    ['crossOrigin a number (C42)', { crossOrigin: 1 }],
    ['crossOrigin null (C42)', { crossOrigin: null }],
    ['topOrigin an array (C44)', { topOrigin: ['https://shop.example'] }],
  ])('%s is refused', (_title, members) => {
    expect(parseFailure(bytesOf({ ...MEMBERS, ...members }))).toBe('client-data-malformed');
  });

  it('ignores members inherited from the prototype', () => {
    const json = `{"__proto__":${JSON.stringify(MEMBERS)}}`;
    expect(parseFailure(json)).toBe('client-data-malformed');
  });

  it('strips one byte order mark (C03)', () => {
    expect(parseFailure(`\uFEFF${JSON.stringify(MEMBERS)}`)).toBeUndefined();
  });

  it('decodes escapes (C07)', () => {
    const escaped = JSON.stringify(MEMBERS).replace('type', '\\u0074ype');
    expect(parseClientData(Buffer.from(escaped)).type).toBe('webauthn.get');
  });

  it('accepts additional nested members (C46, C48)', () => {
    const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const json = `{ "extra" : ${nested} , ${JSON.stringify(MEMBERS).slice(1)}`;
    expect(parseFailure(json)).toBeUndefined();
  });

  it.each([{ status: 'present', id: 'x' }, { status: 'supported' }, {}, '', null, 'x'])(
    'refuses tokenBinding %j (C45)',
    (tokenBinding) => {
      expect(parseFailure(bytesOf({ ...MEMBERS, tokenBinding }))).toBe('token-binding-present');
    },
  );
});

describe('checkClientData', () => {
  it('§7.2 steps 10–14: accepts the expected client data', () => {
    expect(checkFailure({})).toBeUndefined();
    expect(checkFailure({ crossOrigin: false })).toBeUndefined();
  });

  it.each(['webauthn.create', 'payment.get', 'Webauthn.Get', 'webauthn.get ', 'webauthn.get\0'])(
    'refuses type %j (C09–C11)',
    (type) => {
      expect(checkFailure({ type })).toBe('client-data-type');
    },
  );

  it.each([CHALLENGE.slice(0, -2), `${CHALLENGE}AA`, CHALLENGE.toLowerCase().replace('w', 'A')])(
    'refuses challenge %s (C13, B16)',
    (challenge) => {
      expect(checkFailure({ challenge })).toBe('challenge-mismatch');
    },
  );

  it('refuses an origin that is not on the list (C19)', () => {
    expect(checkFailure({ origin: 'http://example.com' })).toBe('origin-not-allowed');
  });

  it.each([
    ['crossOrigin without topOrigin (C41)', { crossOrigin: true }],
    ['topOrigin without crossOrigin (C43)', { topOrigin: 'https://shop.example' }],
    [
      'topOrigin with crossOrigin false (C43)',
      { crossOrigin: false, topOrigin: 'https://shop.example' },
    ],
    ['topOrigin not on the list (C44)', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['topOrigin empty (C44)', { crossOrigin: true, topOrigin: '' }],
  ])('%s is refused', (_title, members) => {
    expect(checkFailure(members)).toBe('cross-origin-not-allowed');
  });

  it('§7.2 step 14: accepts a page embedded by a listed one', () => {
    expect(checkFailure({ crossOrigin: true, topOrigin: 'https://shop.example' })).toBeUndefined();
  });

  it('accepts an unnamed embedding page only where any is allowed', () => {
    const anyPage = { unnamedTopOrigin: true };
    expect(checkFailure({ crossOrigin: true }, anyPage)).toBeUndefined();
    const named = { crossOrigin: true, topOrigin: 'https://evil.example' };
    expect(checkFailure(named, anyPage)).toBe('cross-origin-not-allowed');
  });

  it('reports the first fault in the order of the specification', () => {
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
      'client data that will be refused',
      bytesOf({ challenge: 'not Base64URL!' }),
      'not Base64URL!',
    ],
    ['no challenge', bytesOf({}), ''],
    ['a challenge that is no text', bytesOf({ challenge: [CHALLENGE] }), ''],
    ['null', Buffer.from('null'), ''],
    ['a text', bytesOf(CHALLENGE), ''],
    ['no JSON', Buffer.from('{"challenge":'), ''],
    ['nothing', Buffer.alloc(0), ''],
  ])('reads the challenge from %s', (_, bytes, challenge) => {
    expect(challengeIn(bytes)).toBe(challenge);
  });

  it('fails for empty input', () => {
    const anything = fc.oneof(
      fc.json().map((json) => Buffer.from(json)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(fc.property(anything, (bytes) => typeof challengeIn(bytes) === 'string'));
  });
});
