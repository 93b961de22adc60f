import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import { checkClientData, type ClientDataExpectation, parseClientData } from './client-data.js';

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
  it('reads the members and hashes the bytes as they came', () => {
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

  it('answers any bytes with client data or a named failure', () => {
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

  it('C06: counts members as JSON does, whatever the names and values', () => {
    const name = fc.string().filter((text) => !EVALUATED.includes(text));
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }), (extra) => {
        expect(parseFailure(bytesOf({ ...extra, ...MEMBERS }))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['C01: nothing', ''],
    ['C01: no JSON', '{'],
    ['C01: null', 'null'],
    ['C01: an array', '[]'],
    ['C01: text', '"x"'],
    ['C01: a number', '1'],
    [
      'C02: a byte that is never UTF-8',
      Buffer.concat([bytesOf(MEMBERS).subarray(0, -2), Buffer.of(0xff, 0x22, 0x7d)]),
    ],
    ['C02: an overlong form', Buffer.from('7b2261223a22c080227d', 'hex')],
    ['C02: a lone continuation', Buffer.from('7b2261223a2280227d', 'hex')],
    ['C04: two byte order marks', `\uFEFF\uFEFF${JSON.stringify(MEMBERS)}`],
    ['C04: UTF-16', Buffer.from(`\uFEFF${JSON.stringify(MEMBERS)}`, 'utf16le')],
    ['C05: bytes behind', `${JSON.stringify(MEMBERS)}x`],
    ['C05: NUL behind', `${JSON.stringify(MEMBERS)}\0`],
    ['C06: type twice', `{"type":"webauthn.create",${JSON.stringify(MEMBERS).slice(1)}`],
    ['C06: challenge twice', `{"challenge":"AAAA",${JSON.stringify(MEMBERS).slice(1)}`],
    ['C06: origin twice', `{"origin":"https://evil.com",${JSON.stringify(MEMBERS).slice(1)}`],
    [
      'C06: type twice, once escaped',
      `{"\\u0074ype":"webauthn.create",${JSON.stringify(MEMBERS).slice(1)}`,
    ],
    [
      'C06: origin twice, behind a brace in text',
      `{"x":"\\"}{","origin":"a",${JSON.stringify(MEMBERS).slice(1)}`,
    ],
  ])('%s is refused', (_title, bytes) => {
    expect(parseFailure(bytes)).toBe('client-data-malformed');
  });

  it.each([
    ['C08: type missing', { type: undefined }],
    ['C08: type null', { type: null }],
    ['C08: type a number', { type: 1 }],
    ['C08: type empty', { type: '' }],
    ['C12: challenge missing', { challenge: undefined }],
    ['C12: challenge empty', { challenge: '' }],
    ['C12: challenge an array', { challenge: [CHALLENGE] }],
    ['B16: challenge with padding', { challenge: `${CHALLENGE}==` }],
    ['B16: challenge in the standard alphabet', { challenge: '++//' }],
    ['C33: origin missing', { origin: undefined }],
    ['C33: origin null', { origin: null }],
    ['C33: origin an object', { origin: {} }],
    ['C33: origin empty', { origin: '' }],
    ['C42: crossOrigin as text', { crossOrigin: 'true' }],
    ['C42: crossOrigin a number', { crossOrigin: 1 }],
    ['C42: crossOrigin null', { crossOrigin: null }],
    ['C44: topOrigin an array', { topOrigin: ['https://shop.example'] }],
  ])('%s is refused', (_title, members) => {
    expect(parseFailure(bytesOf({ ...MEMBERS, ...members }))).toBe('client-data-malformed');
  });

  it('members of the prototype do not count', () => {
    const json = `{"__proto__":${JSON.stringify(MEMBERS)}}`;
    expect(parseFailure(json)).toBe('client-data-malformed');
  });

  it('C03: strips one byte order mark', () => {
    expect(parseFailure(`\uFEFF${JSON.stringify(MEMBERS)}`)).toBeUndefined();
  });

  it('C07: reads escapes as what they mean', () => {
    const escaped = JSON.stringify(MEMBERS).replace('type', '\\u0074ype');
    expect(parseClientData(Buffer.from(escaped)).type).toBe('webauthn.get');
  });

  it('C46, C48: takes further members, nested deeply', () => {
    const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const json = `{ "extra" : ${nested} , ${JSON.stringify(MEMBERS).slice(1)}`;
    expect(parseFailure(json)).toBeUndefined();
  });

  it.each([{ status: 'present', id: 'x' }, { status: 'supported' }, {}, '', null, 'x'])(
    'C45: refuses tokenBinding %j',
    (tokenBinding) => {
      expect(parseFailure(bytesOf({ ...MEMBERS, tokenBinding }))).toBe('token-binding-present');
    },
  );
});

describe('checkClientData', () => {
  it('§7.2 steps 10–14: accepts what was expected', () => {
    expect(checkFailure({})).toBeUndefined();
    expect(checkFailure({ crossOrigin: false })).toBeUndefined();
  });

  it.each(['webauthn.create', 'payment.get', 'Webauthn.Get', 'webauthn.get ', 'webauthn.get\0'])(
    'C09–C11: refuses type %j',
    (type) => {
      expect(checkFailure({ type })).toBe('client-data-type');
    },
  );

  it.each([CHALLENGE.slice(0, -2), `${CHALLENGE}AA`, CHALLENGE.toLowerCase().replace('w', 'A')])(
    'C13, B16: refuses challenge %s',
    (challenge) => {
      expect(checkFailure({ challenge })).toBe('challenge-mismatch');
    },
  );

  it('C19: refuses an origin that is not on the list', () => {
    expect(checkFailure({ origin: 'http://example.com' })).toBe('origin-not-allowed');
  });

  it.each([
    ['C41: crossOrigin without topOrigin', { crossOrigin: true }],
    ['C43: topOrigin without crossOrigin', { topOrigin: 'https://shop.example' }],
    [
      'C43: topOrigin with crossOrigin false',
      { crossOrigin: false, topOrigin: 'https://shop.example' },
    ],
    ['C44: topOrigin not on the list', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['C44: topOrigin empty', { crossOrigin: true, topOrigin: '' }],
  ])('%s is refused', (_title, members) => {
    expect(checkFailure(members)).toBe('cross-origin-not-allowed');
  });

  it('§7.2 step 14: accepts a page embedded by a listed one', () => {
    expect(checkFailure({ crossOrigin: true, topOrigin: 'https://shop.example' })).toBeUndefined();
  });

  it('accepts a page that the browser does not name only where any is expected', () => {
    const anyPage = { unnamedTopOrigin: true };
    expect(checkFailure({ crossOrigin: true }, anyPage)).toBeUndefined();
    const named = { crossOrigin: true, topOrigin: 'https://evil.example' };
    expect(checkFailure(named, anyPage)).toBe('cross-origin-not-allowed');
  });

  it('names the first fault in the order of the specification', () => {
    const wrong = { type: 'x', challenge: 'AAAA', origin: 'x', crossOrigin: true };
    expect(checkFailure(wrong)).toBe('client-data-type');
    expect(checkFailure({ ...wrong, type: MEMBERS.type })).toBe('challenge-mismatch');
    const { type, challenge } = MEMBERS;
    expect(checkFailure({ ...wrong, type, challenge })).toBe('origin-not-allowed');
  });
});
