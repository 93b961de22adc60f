import { randomUUID } from 'node:crypto';
import type { CreationOptions, RequestOptions } from '../../packages/testing/src/ceremony-json.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { BrowserClient, type Shown } from '../support/browser-client.js';
import { ProviderProcess, type ProviderUser } from '../support/oidc/provider-process.js';
import { rowsOf } from '../support/rows.js';
import { freePort } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';
import { optionsIn } from '../support/page-forms.js';

const BEGIN = '/console/oidc';
const ACCOUNT = '/console/account';
const STRICT: ProviderUser = {
  sub: 'u-strict',
  preferred_username: 'stella',
  groups: ['fido-strict'],
};
const WITH_FACTOR = { ...STRICT, amr: ['pwd', 'mfa'] };

describe('a group of the OpenID provider that needs a second factor', () => {
  let provider: ProviderProcess;
  let server: TestServer;
  let device: SoftAuthenticator;

  beforeEach(async () => {
    const port = await freePort();
    provider = await ProviderProcess.start(port);
    server = await TestServer.start({ port, options: { consoleOidc: provider.file() } });
    device = new SoftAuthenticator();
  });
  afterEach(async () => {
    await Promise.all([server.stop(), provider.stop()]);
  });

  it('opens the console if the provider has proved one, by amr or by acr', async () => {
    expect((await opened(WITH_FACTOR)).page.status).toBe(200);
    expect((await opened({ ...STRICT, acr: 'phr' })).page.status).toBe(200);
  });

  it('does not open the console without one, and says so', async () => {
    const { client, page } = await opened(STRICT);
    expect(page.status).toBe(401);
    expect(page.text).toContain('requires a second factor for your group');
    expect(client.session).toBeUndefined();
  });

  it('opens the console with a key of the account, which was added with a factor of the provider', async () => {
    expect((await addKey((await opened(WITH_FACTOR)).client)).text).toContain('The key is added.');
    const { client, page } = await opened(STRICT);
    expect(page.status).toBe(401);
    expect(client.session).toBeUndefined();
    const fields = { pending: pendingIn(page), response: responseTo(page), to: ACCOUNT };
    const signedIn = await client.submit(`${BEGIN}/key`, fields);
    expect(signedIn.status).toBe(200);
    expect(signedIn.text).toContain('OpenID provider and key');
    // A key was used just now, so the sign-in is recent, whatever the provider says.
    expect(signedIn.text).toContain('data-create=');
    const replayed = await new BrowserClient(server.url).submit(`${BEGIN}/key`, fields);
    expect(replayed.status).toBe(401);
  });

  it('takes the key also after an ID token that is larger than a form may be', async () => {
    await addKey((await opened(WITH_FACTOR)).client);
    await provider.set({ groupsInIdToken: true });
    const others = Array.from({ length: 2000 }, () => randomUUID());
    const { client, page } = await opened({ ...STRICT, groups: ['fido-strict', ...others] });
    const fields = { pending: pendingIn(page), response: responseTo(page), to: ACCOUNT };
    const signedIn = await client.submit(`${BEGIN}/key`, fields);
    expect(signedIn.status).toBe(200);
    expect(signedIn.text).toContain('OpenID provider and key');
  });

  it('asks for no key if the provider last asked the user more than twelve hours ago', async () => {
    await addKey((await opened(WITH_FACTOR)).client);
    await provider.set({ authTime: Math.floor(Date.now() / 1000) - 13 * 60 * 60 });
    const { page } = await opened(STRICT);
    expect(page.status).toBe(401);
    expect(page.text).toContain('again&#x3D;yes');
    expect(page.text).not.toContain('name="pending"');
  });

  it.each([
    ['session', (sid: string) => ({ sid })],
    ['session and user', (sid: string) => ({ sid, sub: STRICT.sub })],
    ['user', () => ({ sub: STRICT.sub })],
  ])('does not open the console once the provider has logged out the %s', async (_, of) => {
    await addKey((await opened(WITH_FACTOR)).client);
    const { client, page } = await opened(STRICT);
    const { sid } = await provider.set({});
    const token = await provider.logoutToken(of(sid));
    const ended = await client.submit(`${BEGIN}/backchannel-logout`, { logout_token: token });
    expect(ended.status).toBe(200);
    const fields = { pending: pendingIn(page), response: responseTo(page) };
    expect((await client.submit(`${BEGIN}/key`, fields)).status).toBe(401);
    expect(client.session).toBeUndefined();
    const again = await opened(STRICT);
    const late = { pending: pendingIn(again.page), response: responseTo(again.page) };
    expect((await again.client.submit(`${BEGIN}/key`, late)).status).toBe(200);
  });

  it('does not open the console once the user has no group any longer', async () => {
    await addKey((await opened(WITH_FACTOR)).client);
    const { client, page } = await opened(STRICT);
    const left = await opened({ ...STRICT, groups: ['staff'] });
    expect(left.page.text).toContain('none of your groups may open this console');
    const fields = { pending: pendingIn(page), response: responseTo(page) };
    expect((await client.submit(`${BEGIN}/key`, fields)).status).toBe(401);
    expect(client.session).toBeUndefined();
  });

  it('accepts the key neither alone, nor as the key of a password, nor for another sign-in', async () => {
    await addKey((await opened(WITH_FACTOR)).client);
    const { client, page } = await opened(STRICT);
    const response = responseTo(page);
    const username = 'stella (oidc)';
    const local = '/console/sign-in/key';
    expect((await client.submit(local, { response, username })).status).toBe(401);
    const alone = await new BrowserClient(server.url).open('/console/sign-in');
    expect((await client.submit(local, { response: responseTo(alone) })).status).toBe(401);
    const second = await opened(STRICT);
    const swapped = { pending: pendingIn(page), response: responseTo(second.page) };
    expect((await client.submit(`${BEGIN}/key`, swapped)).status).toBe(401);
    for (const pending of ['', 'sealed:1:AAAAAAAAAAA:AAAA', 'x']) {
      const forged = await client.submit(`${BEGIN}/key`, { pending, response });
      expect(forged.status).toBe(401);
    }
    expect(client.session).toBeUndefined();
  });

  it('asks for a new key where the provider proves no factor at all', async () => {
    await server.stop();
    const consoleOidc = provider.file({ proofs: {} });
    const port = Number(new URL(server.url).port);
    server = await TestServer.start({ port, options: { consoleOidc } });
    const { client, page } = await opened(STRICT);
    expect(page.status).toBe(200);
    expect((await client.open('/status')).status).toBe(200);
    expect((await client.open('/userapi/audit')).status).toBe(403);
    expect((await addKey(client)).text).toContain('The key is added.');
    expect((await client.open('/userapi/audit')).status).toBe(200);
    const next = await opened(STRICT);
    expect(next.page.status).toBe(401);
    expect(pendingIn(next.page)).not.toBe('');
    const remaining = await rowsOf<{ id: Buffer }>(server, 'SELECT id FROM console_keys');
    const id = remaining[0]?.id.toString('base64url') ?? '';
    expect((await client.submit(`${ACCOUNT}/keys/${id}/_remove`, {})).status).toBe(400);
  });

  async function opened(user: ProviderUser): Promise<{ client: BrowserClient; page: Shown }> {
    await provider.signInAs(user);
    const client = new BrowserClient(server.url);
    return { client, page: await client.open(BEGIN) };
  }

  async function addKey(client: BrowserClient): Promise<Shown> {
    const page = await client.open(ACCOUNT);
    const options = optionsIn<CreationOptions>(page, 'create');
    const made = device.create(options, { origin: server.url });
    return client.submit(`${ACCOUNT}/keys`, { name: 'Laptop', response: JSON.stringify(made) });
  }

  function responseTo(page: Shown) {
    return JSON.stringify(
      device.get(optionsIn<RequestOptions>(page, 'get'), { origin: server.url }),
    );
  }
});

function pendingIn({ text }: Shown): string {
  return (/name="pending" value="([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&#x3D;', '=');
}
