import fc from 'fast-check';
import {
  isDisplayName,
  isName,
  normalizeName,
} from '../../src/platform/validation/values/names.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

/** Any text that can be a name, often with characters that look alike, combine or mean something to SQL. */
const NAMES = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'aAe\u0301é%_*\\\'" ßſK'), minLength: 1, maxLength: 8 }),
  )
  .filter(isName);

describe.each(DATABASES)('user names and display names, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('any user name can register, be listed byte for byte in NFC, sign in and be deleted', async () => {
    const names = new Set(fc.sample(NAMES, 40).map(normalizeName));
    const users = new Map<string, FidoClient>();
    await server.addRelyingParty('acme', { domain: 'names.example' });
    for (const name of names) {
      const client = new FidoClient(server.url, {
        relyingParty: 'names.example',
      });
      expect([name, (await client.register(name)).status]).toEqual([name, 200]);
      users.set(name, client);
    }
    const admin = new AdminClient(server.url, 'names.example');
    const bytesOf = (name: string) => Buffer.from(name).toString('hex');
    expect((await admin.names()).map(bytesOf)).toEqual([...names].map(bytesOf).sort());
    for (const [name, client] of users) {
      expect(await client.signIn(name.normalize('NFD'))).toMatchObject({
        status: 200,
        body: { username: name },
      });
    }
    const { body } = await admin.post('/userapi/deletelistusers', { users: [...names] });
    expect(body).toMatchObject({ deleted: names.size, missing: 0, invalid: 0 });
    for (const [name, client] of users) {
      expect((await client.beginAuthentication(name)).status).toBe(403);
    }
  });

  it.each([
    ['joined Sinhala letters', '\u0dc1\u0dca\u200d\u0dbb\u0dd3 \u0dbd\u0d82\u0d9a\u0dcf'],
    ['Persian letters that are not joined', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['a coloured heart', 'Ada ❤\ufe0f'],
    ['an emoji of two parts', 'Ada 👩\u200d💻'],
    ['a variant of an ideograph', '\u845b\u{e0100}\u57ce'],
  ])('a display name may contain %s, and a user name may not', async (_, displayName) => {
    const client = new FidoClient(server.url);
    const username = `shown ${Buffer.from(displayName).toString('hex')}`;
    const begun = await client.beginRegistration(username, { displayName: `  ${displayName}\t ` });
    expect(begun).toMatchObject({ status: 200, body: { user: { displayName } } });
    expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
    expect((await client.signIn(username)).body['displayName']).toBe(displayName);
    expect((await client.register(displayName)).status).toBe(400);
  });

  it('stores the display name of a later registration when it completes', async () => {
    const client = new FidoClient(server.url);
    await client.register('renamed', { displayName: 'Ada Byron' });
    const shown = async () => (await client.signIn('renamed')).body['displayName'];
    expect(await shown()).toBe('Ada Byron');

    const displayName = 'Ada Lovelace';
    const key = { authenticator: new SoftAuthenticator() };
    const begun = await client.beginRegistration('renamed', { displayName });
    expect(await shown()).toBe('Ada Byron');
    const other = new FidoClient(server.url, key);
    other.cookie = client.cookie;
    const wrong = other.create(begun, { clientData: { origin: 'https://evil.example' } });
    expect((await other.completeRegistration(wrong)).status).toBe(401);
    expect(await shown()).toBe('Ada Byron');

    expect((await other.register('renamed', { displayName })).status).toBe(200);
    expect(await shown()).toBe('Ada Lovelace');
    const admin = new AdminClient(server.url, 'localhost');
    const { body } = await admin.get('/userapi/manageusers?filter=renamed');
    expect(body).toMatchObject({ users: [{ username: 'renamed', displayName }] });
  });
});

describe('display names', () => {
  it.each([
    ['no character', ''],
    ['white space alone', ' \t\u3000 '],
    ['joiners alone', '\u200d\u200c'],
    ['a variation selector alone', ' \ufe0f '],
    ['a direction override', 'Ada\u202egpj'],
    ['a direction isolate', '\u2066Ada\u2069'],
    ['a direction mark', 'Ada\u200f'],
    ['a zero-width blank', 'A\u200bda'],
    ['a byte order mark in front', '\ufeffAda'],
    ['a word joiner', 'A\u2060da'],
    ['a soft hyphen', 'A\u00adda'],
    ['a tag', 'Ada\u{e0041}'],
    ['a Hangul filler', '\u3164'],
    ['a line break', 'Ada\nByron'],
    ['NUL', 'Ada\u0000'],
    ['a lone surrogate', 'Ada\ud83d'],
    ['256 bytes', 'é'.repeat(128)],
  ])('refuses a display name with %s', (_, name) => expect(isDisplayName(name)).toBe(false));

  it('accepts a display name of 255 bytes with surrounding white space', () => {
    expect(isDisplayName(`${' '.repeat(300)}${'x'.repeat(255)}\n`)).toBe(true);
  });
});
