import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

/** The cookie of a begin call: its value, and its attributes sorted. */
async function cookieOf(server: TestServer, headers: Record<string, string> = {}) {
  const client = new FidoClient(server.url);
  const body = { username: 'alice', displayName: 'alice' };
  const answer = await client.post(client.paths.beginRegistration, body, headers);
  const [cookie = '', ...others] = answer.headers.getSetCookie();
  const [pair = '', ...attributes] = cookie.split('; ');
  return { pair, attributes: attributes.sort(), others };
}

const PLAIN = ['HttpOnly', 'Path=/', 'SameSite=None'];
const SECURE = ['HttpOnly', 'Partitioned', 'Path=/', 'SameSite=None', 'Secure'];
const HTTPS = { 'x-forwarded-proto': 'https' };

describe('the session cookie', () => {
  let direct: TestServer;
  let proxied: TestServer;
  beforeAll(async () => {
    direct = await TestServer.start();
    proxied = await TestServer.start({ options: { trustProxy: 1 } });
  });
  afterAll(async () => {
    await direct.stop();
    await proxied.stop();
  });

  it('the session cookie is named servicefido and contains only a signed name', async () => {
    const { pair, others } = await cookieOf(direct);
    expect(pair).toMatch(/^servicefido=s%3A[\w-]{32}\.[\w%-]{43,}$/);
    expect(others).toEqual([]);
  });

  it.each([
    ['not Secure over plain HTTP', () => direct, {}, PLAIN],
    [
      'Secure over plain HTTP from a browser on loopback',
      () => direct,
      { 'sec-fetch-site': 'none' },
      SECURE,
    ],
    ['not Secure for an X-Forwarded-Proto without a trusted proxy', () => direct, HTTPS, PLAIN],
    ['Secure behind a trusted proxy with HTTPS', () => proxied, HTTPS, SECURE],
    [
      'not Secure behind a trusted proxy without HTTPS',
      () => proxied,
      { 'x-forwarded-proto': 'http' },
      PLAIN,
    ],
    ['not Secure behind a trusted proxy that names no protocol', () => proxied, {}, PLAIN],
    [
      'not Secure for a browser without HTTPS whose host is not loopback',
      () => proxied,
      { 'x-forwarded-host': 'fido.example', 'sec-fetch-site': 'same-origin' },
      PLAIN,
    ],
  ])('the session cookie is host-only and %s', async (_, server, headers, expected) => {
    expect((await cookieOf(server(), headers)).attributes).toEqual(expected);
  });

  it('the session cookie is not set again for a browser that has it, or by result calls', async () => {
    const client = new FidoClient(direct.url);
    await client.beginRegistration('bob');
    const given = client.cookie;
    const registered = await client.register('bob');
    const signedIn = await client.signIn('bob');
    expect(registered.headers.getSetCookie()).toEqual([]);
    expect(signedIn.headers.getSetCookie()).toEqual([]);
    expect(client.cookie).toBe(given);
  });

  it('the session cookies of 200 sessions are all different', async () => {
    const pairs = await Promise.all(
      Array.from({ length: 200 }, async () => (await cookieOf(direct)).pair),
    );
    expect(new Set(pairs).size).toBe(200);
  });
});
