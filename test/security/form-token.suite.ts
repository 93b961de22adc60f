import { FormTokens } from '../../src/platform/access/form-token.js';
import { adminClient, type Client } from '../support/client.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const HOUR_MS = 3600 * 1000;
const ADMINISTRATOR = { name: ADMIN.user, role: 'admin' } as const;
const BROWSER = { 'sec-fetch-site': 'same-origin' };
/** The ticket call's answer to a form that passed the check: it accepts only JSON. */
const PASSED = { status: 415, body: { errorCode: 'E0048R' } };
const REFUSED = { status: 403, body: { errorCode: 'E0043R' } };

describe('the token against forged forms', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  const token = () => server.get(FormTokens).issue(ADMINISTRATOR);
  const submit = (
    fields: Record<string, string>,
    headers: Record<string, string> = BROWSER,
    query = '',
  ) =>
    admin.send(`/userapi/tickets${query}`, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const upload = (query: string, headers: Record<string, string> = BROWSER) => {
    const body = new FormData();
    body.set('file', new Blob(['alice\n']), 'users.txt');
    return admin.send(`/userapi/tickets${query}`, { method: 'POST', body, headers });
  };

  it('a browser’s form needs a form token (E0043R)', async () => {
    expect(await submit({ username: 'alice' })).toMatchObject(REFUSED);
    expect(await submit({ formToken: 'x' })).toMatchObject(REFUSED);
    expect(await submit({}, { origin: server.url })).toMatchObject(REFUSED);
    expect(await submit({ formToken: token() })).toMatchObject(PASSED);
    expect(await submit({}, { ...BROWSER, 'x-form-token': token() })).toMatchObject(PASSED);
  });

  it('a script of an own page needs no form token, and one of another site is refused (E0043R)', async () => {
    const script = { ...BROWSER, 'x-requested-with': 'fetch' };
    expect(await submit({}, script)).toMatchObject(PASSED);
    expect(await submit({}, { ...script, 'sec-fetch-site': 'cross-site' })).toMatchObject(REFUSED);
    expect(await submit({}, { ...script, origin: 'https://evil.example' })).toMatchObject(REFUSED);
    const preflight = await fetch(`${server.url}/userapi/tickets`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://localhost',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-requested-with',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a browser’s upload needs a form token in its address (E0043R)', async () => {
    expect(await upload('')).toMatchObject(REFUSED);
    expect(await upload('?formToken=x&formToken=y')).toMatchObject(REFUSED);
    expect(await upload(`?formToken=${token()}`)).toMatchObject(PASSED);
    expect(JSON.stringify(server.logged)).not.toContain(token());
  });

  it('a program or a JSON body needs no form token', async () => {
    expect(await submit({}, {})).toMatchObject(PASSED);
    for (const program of ['curl/8.0', 'Mozilla/5.0 (Windows NT 10.0) PowerShell/7.4.6']) {
      expect(await upload('', { 'user-agent': program })).toMatchObject(PASSED);
    }
    const body = { username: 'alice', relyingParty: 'localhost' };
    expect((await admin.post('/userapi/tickets', body, BROWSER)).status).toBe(201);
  });

  it('refuses the form token of another account (E0043R)', async () => {
    const other = server.get(FormTokens).issue({ name: 'anna', role: 'helpdesk' });
    expect(await submit({ formToken: other })).toMatchObject(REFUSED);
  });

  it('a form token is valid for four hours, and no longer after eight (E0043R)', async () => {
    const old = token();
    server.clock.advance(4 * HOUR_MS);
    expect(await submit({ formToken: old })).toMatchObject(PASSED);
    server.clock.advance(4 * HOUR_MS);
    expect(await submit({ formToken: old })).toMatchObject(REFUSED);
  });

  it('a form token is valid at every instance', async () => {
    const other = await TestServer.start({ database: server.database });
    other.clock.advance(server.clock.now() - other.clock.now());
    const theirs = other.get(FormTokens).issue(ADMINISTRATOR);
    expect(await submit({ formToken: theirs })).toMatchObject(PASSED);
    // The other instance is a second ahead of this one, and its next period has begun.
    server.clock.standAt(12 * HOUR_MS - 500);
    other.clock.standAt(12 * HOUR_MS + 500);
    const early = other.get(FormTokens).issue(ADMINISTRATOR);
    expect(await submit({ formToken: early })).toMatchObject(PASSED);
    await other.stop();
  });
});
