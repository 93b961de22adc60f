import { X509Certificate, createPublicKey } from 'node:crypto';
import { DAY_MS } from '../../src/platform/common/durations.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import {
  addMethod,
  answerOf,
  formsIn,
  sendFromEntra,
  setExternalId,
  startEntra,
} from '../support/entra/entra-server.js';
import {
  EntraTenant,
  MICROSOFT,
  RETURN,
  type ExternalMethod,
} from '../support/entra/entra-tenant.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import type { TestServer } from '../support/test-server.js';

const OID = '951ddb04-b16d-45f3-bbf7-b0fa18fa7aee';

describe.each(DATABASES)('External MFA of Entra ID on %s', (on) => {
  let server: TestServer;
  let contoso: EntraTenant;
  let method: ExternalMethod;
  let alice: FidoClient;
  beforeAll(async () => {
    contoso = await EntraTenant.create();
    server = await startEntra([contoso], { on });
    alice = new FidoClient(server.url);
    await alice.register('alice');
    await setExternalId(server, 'alice', OID);
    method = await addMethod(server, contoso);
  });
  afterAll(() => server.stop());

  const newBrowser = () => new OidcBrowser(server.url, alice);
  const hint = (oid = OID, claims = {}) => contoso.hint(oid, { claims, now: server.clock.now() });
  const requestOf = async (more: Record<string, string> = {}, claims = {}) =>
    contoso.request(method.clientId, await hint(OID, claims), more);
  const signIn = async (request: URLSearchParams) => {
    const browser = newBrowser();
    const opened = await sendFromEntra(browser, method, request);
    return answerOf(browser, opened, await browser.assertionOf('alice'));
  };
  const judged = async (request: URLSearchParams) =>
    contoso.judge(method, request, (await signIn(request)).fields);
  const claimsOf = (token = '') =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;

  it('publishes what Entra reads, with a certificate for each key', async () => {
    const { issuer } = method;
    expect(issuer).toBe(`${server.url}/entra/localhost`);
    const metadata = await fetch(`${issuer}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['id_token'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as {
      keys: { kid: string; n: string; x5c: [string] }[];
    };
    const [key] = keys;
    expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use', 'x5c']);
    const certificate = new X509Certificate(Buffer.from(key?.x5c[0] ?? '', 'base64'));
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.export({ format: 'jwk' })).toMatchObject({ n: key?.n });
    expect(
      certificate.publicKey.equals(createPublicKey({ key: key as never, format: 'jwk' })),
    ).toBe(true);
    expect(certificate.subject).toBe('CN=localhost');
  });

  it('publishes metadata and keys also while the relying party admits only applications', async () => {
    const domain = 'closing.example';
    await server.addRelyingParty('closing', { domain, origins: [server.url] });
    const { issuer } = await addMethod(server, contoso, { at: { tenant: 'closing', domain } });
    const admin = adminClient(server.url);
    const party = `/tenantapi/tenants/closing/relying-parties/${domain}`;
    const { text } = await admin.patch(party, { policy: { callers: 'keys' } });
    expect(text).toContain('sign in on the page of this server');
    for (const path of ['.well-known/openid-configuration', 'jwks', 'authorize']) {
      const { status } = await fetch(`${issuer}/${path}`);
      expect([path, status]).toEqual([path, path === 'authorize' ? 403 : 200]);
    }
  });

  it('signs a user in for Entra, by POST and by GET', async () => {
    const request = await requestOf();
    const { action, fields } = await signIn(request);
    expect(action).toBe(MICROSOFT + RETURN);
    expect(Object.keys(fields).sort()).toEqual(['id_token', 'state']);
    expect(await contoso.judge(method, request, fields)).toBe('accepted');
    expect(claimsOf(fields['id_token'])).toEqual({
      iss: method.issuer,
      aud: method.clientId,
      sub: `pairwise-${OID}`,
      nonce: 'the nonce of Entra',
      iat: expect.any(Number),
      exp: expect.any(Number),
      acr: 'possessionorinherence',
      amr: ['fido'],
    });
    const byGet = await requestOf();
    const browser = newBrowser();
    const opened = await browser.open(`${method.issuer}/authorize?${byGet}`);
    const answer = await answerOf(browser, opened, await browser.assertionOf('alice'));
    expect(await contoso.judge(method, byGet, answer.fields)).toBe('accepted');
  });

  it('is an event of the user that names the client', async () => {
    await signIn(await requestOf());
    const admin = new AdminClient(server.url, 'localhost');
    const events = await admin.get('/userapi/events?user=alice&limit=5');
    expect(events.text).toContain(`entra ${method.clientId}`);
  });

  it('finds the user by the user name where the client says so', async () => {
    const byName = await addMethod(server, contoso, { userClaim: 'preferred_username' });
    const named = await hint('nobody', { preferred_username: 'alice' });
    const request = contoso.request(byName.clientId, named);
    const browser = newBrowser();
    const opened = await sendFromEntra(browser, byName, request);
    const answer = await answerOf(browser, opened, await browser.assertionOf('alice'));
    expect(await contoso.judge(byName, request, answer.fields)).toBe('accepted');
  });

  it('accepts the documented audience too, which is the client', async () => {
    expect(await judged(await requestOf({}, { aud: method.clientId }))).toBe('accepted');
  });

  it('accepts a hint until ten minutes after its end', async () => {
    const seconds = Math.floor(server.clock.now() / 1000);
    expect(await judged(await requestOf({}, { iat: seconds - 900, exp: seconds - 540 }))).toBe(
      'accepted',
    );
    const late = await requestOf({}, { iat: seconds - 900, exp: seconds - 605 });
    const { page } = await sendFromEntra(newBrowser(), method, late);
    expect(formsIn(page.text)[0]?.fields).toMatchObject({ error: 'invalid_request' });
  });

  it.each([
    ['possession', ['knowledge', 'possession']],
    ['knowledgeorpossession', ['knowledgeorpossession']],
    ['possessionorinherence', ['knowledge', 'possession', 'possessionorinherence']],
  ])('answers the class %s of %j', async (acr, values) => {
    const request = await requestOf({ claims: JSON.stringify({ id_token: { acr: { values } } }) });
    const { fields } = await signIn(request);
    expect(claimsOf(fields['id_token'])).toMatchObject({ acr });
    const verdict = acr === 'possessionorinherence' ? 'accepted' : 'AADSTS5001258';
    expect(await contoso.judge(method, request, fields)).toBe(verdict);
  });

  it.each([
    ['no state', 'state', undefined, {}],
    ['another scope', 'scope', 'profile', { error: 'invalid_request' }],
    ['a code', 'response_type', 'code', { error: 'invalid_request' }],
    ['another mode', 'response_mode', 'query', { error: 'invalid_request' }],
    ['no nonce', 'nonce', undefined, { error: 'invalid_request' }],
    ['no hint', 'id_token_hint', undefined, { error: 'invalid_request' }],
    [
      'a class without possession',
      'claims',
      '{"id_token":{"acr":{"value":"knowledge"}}}',
      { error: 'invalid_request' },
    ],
    [
      'another method',
      'claims',
      '{"id_token":{"amr":{"values":["sms"]}}}',
      { error: 'invalid_request' },
    ],
  ])('answers a request with %s by a form', async (_, name, value, fields) => {
    const request = await requestOf();
    if (value === undefined) request.delete(name);
    else request.set(name, value);
    const { page } = await sendFromEntra(newBrowser(), method, request);
    const [form] = formsIn(page.text);
    expect(form?.action).toBe(MICROSOFT + RETURN);
    const state = request.get('state');
    expect(form?.fields).toEqual({ ...(state !== null && { state }), ...fields });
    expect(page.text).toContain(name === 'state' ? 'id="answer"' : 'form-post.js');
  });

  it.each(['unknown', 'without a key', 'suspended'])(
    'tells a user who is %s what to do, and leads back with access_denied',
    async (how) => {
      const oid = `oid ${how}`;
      const admin = adminClient(server.url);
      const headers = { 'x-servicefido-relyingparty': 'localhost' };
      if (how !== 'unknown') {
        await new FidoClient(server.url).register(how);
        await setExternalId(server, how, oid);
      }
      if (how === 'without a key')
        await admin.post('/userapi/manageusers', { type: 'disableall', filter: how }, headers);
      if (how === 'suspended')
        await admin.post('/userapi/users/suspension', { username: how, suspended: true }, headers);
      const request = contoso.request(method.clientId, await hint(oid));
      const { page } = await sendFromEntra(newBrowser(), method, request);
      expect([
        page.status,
        /<h1>(.+)<\/h1>/.exec(page.text)?.[1]?.replaceAll(/<[^>]+>/g, ''),
      ]).toEqual([
        403,
        {
          unknown: 'localhost does not know you yet',
          'without a key': 'You have no key at localhost',
          suspended: 'You are suspended at localhost',
        }[how],
      ]);
      const [form] = formsIn(page.text);
      expect(await contoso.judge(method, request, form?.fields ?? {})).toBe('access_denied');
      expect(page.text).not.toContain('form-post.js');
    },
  );

  it('lets an error lead only to Entra, a sign-in on to any application, and no page embed it', async () => {
    const policyOf = async (request: URLSearchParams) => {
      const { page } = await sendFromEntra(newBrowser(), method, request);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("script-src 'self'");
      return /form-action [^;]*/.exec(policy)?.[0];
    };
    expect(await policyOf(await requestOf({ nonce: '' }))).toBe(`form-action ${MICROSOFT}`);
    // Chromium would apply it to Entra's redirect to the application.
    expect(await policyOf(await requestOf())).toBeUndefined();
  });

  it('reads the keys of Entra once, and again for a new key ID', async () => {
    contoso.reads.length = 0;
    server.clock.advance(31_000);
    await contoso.rotate();
    expect(await judged(await requestOf())).toBe('accepted');
    expect(await judged(await requestOf())).toBe('accepted');
    expect(contoso.reads).toEqual([
      `${contoso.issuer}/.well-known/openid-configuration`,
      `${MICROSOFT}/${contoso.id}/discovery/v2.0/keys`,
    ]);
  });

  it('lets nobody whose key is known wait while it asks Entra for the key of another hint', async () => {
    server.clock.advance(31_000);
    const { read } = contoso;
    const asked = new Promise<void>((resolve) => {
      contoso.read = async () => {
        resolve();
        await held;
        throw new Error('the answer came too late');
      };
    });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const key = { ...contoso.key, kid: 'made up' };
    const forged = await contoso.hint(OID, { key, now: server.clock.now() });
    const begun = sendFromEntra(newBrowser(), method, contoso.request(method.clientId, forged));
    try {
      await asked;
      expect(await judged(await requestOf())).toBe('accepted');
    } finally {
      letGo();
      contoso.read = read;
    }
    expect((await begun).page.status).toBe(400);
  });

  it('goes on with the keys that it has for a day while Entra is away', async () => {
    contoso.isAway = true;
    try {
      server.clock.advance(DAY_MS - 60_000);
      expect(await judged(await requestOf())).toBe('accepted');
      server.clock.advance(120_000);
      const { page } = await sendFromEntra(newBrowser(), method, await requestOf());
      expect(formsIn(page.text)[0]?.fields['error']).toBe('temporarily_unavailable');
    } finally {
      contoso.isAway = false;
    }
    server.clock.advance(31_000);
    expect(await judged(await requestOf())).toBe('accepted');
  });

  it('signs with a new key only after two days, when Entra has read it', async () => {
    const path = '/tenantapi/tenants/default/relying-parties/localhost/clients/rotate-keys';
    expect((await adminClient(server.url).post(path, {})).status).toBe(201);
    const kidOf = async () => {
      const { fields } = await signIn(await requestOf());
      const [header = ''] = (fields['id_token'] ?? '').split('.');
      return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
    };
    const first = await kidOf();
    server.clock.advance(DAY_MS);
    expect(await kidOf()).toBe(first);
    server.clock.advance(DAY_MS + 1_000);
    expect(await kidOf()).not.toBe(first);
    expect(await judged(await requestOf())).toBe('accepted');
  });
});
