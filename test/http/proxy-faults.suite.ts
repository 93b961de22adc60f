import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { adminClient } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const PAGE = 'https://login.acme.example';
const NAMED = { 'x-servicefido-relyingparty': 'acme.example', origin: PAGE };

describe.each([0, 1])('a server with --trust-proxy %i', (trustProxy) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start({ options: { trustProxy } });
    await server.addRelyingParty('default', { domain: 'acme.example', origins: [PAGE] });
  });
  afterEach(() => server.stop());

  const complete = (headers: Record<string, string>) =>
    new FidoClient(server.url).post(PATHS.certify.completeAuthentication, {}, headers);
  /** A call that several browsers make through the proxy; only a trusted one names them. */
  const completeFrom = (client: string) => complete({ ...NAMED, 'x-forwarded-for': client });
  const findings = async () => (await server.get(SetupFindings).all()).map(({ name }) => name);

  it(`says that a proxy hides HTTPS where a page over HTTPS sends no cookie, with --trust-proxy ${trustProxy}`, async () => {
    // Of no relying party's page, so it proves nothing.
    const foreign = await complete({ ...NAMED, origin: 'https://evil.example' });
    expect(foreign.body.reason).toBe('session.cookieMissing');
    const local = await complete({ ...NAMED, origin: server.url });
    expect(local.body.reason).toBe('session.cookieMissing');
    expect(await findings()).not.toContain('proxy-protocol');

    const hidden = await complete(NAMED);
    expect(hidden).toMatchObject({
      status: 408,
      body: {
        errorCode: 'E0024R',
        reason: 'proxy.protocol',
        errorMessage: expect.stringMatching(`^The page ${PAGE} .*--trust-proxy.*X-Forwarded-Proto`),
      },
    });
    if (trustProxy === 1) {
      for (let n = 0; n < 5; n += 1) await completeFrom('192.0.2.1');
    } else await complete(NAMED);
    expect(await findings()).not.toContain('proxy-protocol');
    await completeFrom('192.0.2.2');
    await completeFrom('192.0.2.3');
    expect(await findings()).toContain('proxy-protocol');
    const logged = server.logged.filter(({ context }) => context === 'Setup');
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'A proxy does not say that it uses HTTPS.' }),
    );
  });

  it(`blames no proxy that sends X-Forwarded-Proto for a missing cookie, unless it is not trusted, with --trust-proxy ${trustProxy}`, async () => {
    const told = await complete({ ...NAMED, 'x-forwarded-proto': 'https' });
    expect(told.body.reason).toBe(trustProxy === 0 ? 'proxy.protocol' : 'session.cookieMissing');
  });

  it(`says that a proxy replaces Host where a page of this server is refused, with --trust-proxy ${trustProxy}`, async () => {
    const page = { origin: PAGE, 'sec-fetch-site': 'same-origin' };
    const change = (headers: Record<string, string>) =>
      adminClient(server.url).post('/tenantapi/tenants', { tenant: 'globex' }, headers);
    const lost = await change(page);
    expect(lost).toMatchObject({
      status: 403,
      body: { errorCode: 'E0043R', reason: 'proxy.host' },
    });
    expect(lost.body.errorMessage).toContain(new URL(server.url).host);
    expect(await findings()).toContain('proxy-host');
    const foreign = await change({ ...page, 'sec-fetch-site': 'cross-site' });
    expect(foreign.body.reason).toBe('crossSite.foreign');
    if (trustProxy === 0) return;
    const forwarded = { 'x-forwarded-host': 'login.acme.example' };
    expect((await change({ ...page, ...forwarded })).status).toBe(201);
  });
});
