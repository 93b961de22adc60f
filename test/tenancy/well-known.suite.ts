import { ACCOUNTS, accountsFile, clientOf } from '../support/accounts.js';
import { Client, adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { sendRaw } from '../support/raw-http.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { lastAuditRow } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';
const GLOBEX = { name: 'globex-admin', role: 'admin', tenants: ['globex'] } as const;
const FINGERPRINT = Array.from({ length: 32 }, (_, n) => n.toString(16).padStart(2, '0')).join(':');
const APP = `android:apk-key-hash:${Buffer.from(FINGERPRINT.replaceAll(':', ''), 'hex').toString('base64url')}`;
const RELATED = 'https://acme.test';
const WELL_KNOWN = {
  relatedOrigins: [RELATED, 'https://shop.acme-app.example:8443'],
  apps: {
    android: [{ package: 'com.acme.app', fingerprints: [FINGERPRINT] }],
    apple: ['TEAMID1234.com.acme.app'],
  },
  passkeyEndpoints: {
    enroll: 'https://acme.example/keys/new',
    manage: 'https://acme.example/keys',
  },
};

describe.each(DATABASES)('what domains publish under /.well-known, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({
      on,
      options: { accounts: accountsFile([...ACCOUNTS, GLOBEX]) },
    });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.example', ...WELL_KNOWN });
    await server.addRelyingParty('globex', { domain: 'globex.example' });
  });
  afterAll(() => server.stop());

  it.each(publishedFiles())(
    'what a domain publishes is served for the domain in Host and for one in the path: %s',
    async (name, said) => {
      for (const host of ['acme.example', 'ACME.example', 'acme.example:8443']) {
        const answer = await ask(`/.well-known/${name}`, `Host: ${host}`);
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        expect(answer).toMatch(/\r\nContent-Type: application\/json; charset=utf-8\r\n/);
        expect(answer).toMatch(/\r\nCache-Control: public, max-age=300\r\n/);
        expect(answer).toMatch(/\r\nVary: (.*, )?X-Forwarded-Host\r\n/);
        expect(answer).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/);
        expect(answer).toContain(`\r\n\r\n${JSON.stringify(said)}`);
      }
      const named = await new Client(server.url).get(`/wellknown/acme.example/${name}`);
      expect(named.status).toBe(200);
      expect(JSON.parse(named.text)).toEqual(said);
      expect(named.headers.get('cache-control')).toBe('public, max-age=300');
    },
  );

  it.each([
    ['another tenant', 'Host: globex.example'],
    ['a name above', 'Host: example'],
    ['a name below', 'Host: www.acme.example'],
    ['a related origin', 'Host: acme.test'],
    ['a look-alike', 'Host: evilacme.example'],
    ['a trailing dot', 'Host: acme.example.'],
    ['user information', 'Host: acme.example@globex.example'],
    ['two names', 'Host: acme.example, globex.example'],
    ['nothing', 'Host: '],
    ['an address', 'Host: 127.0.0.1'],
    ['a name for an object', 'Host: __proto__'],
    [
      'a forwarded name that nobody vouches for',
      'Host: globex.example\r\nX-Forwarded-Host: acme.example',
    ],
  ])(
    'reveals no data of acme for a Host of %s, and is not cacheable (E0044R)',
    async (_, lines) => {
      for (const [name] of publishedFiles()) {
        const answer = await ask(`/.well-known/${name}`, lines);
        expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
        expect(answer).not.toMatch(/com\.acme|acme\.test|public/);
        if (answer.startsWith('HTTP/1.1 404')) expect(answer).toContain('Cache-Control: no-store');
      }
    },
  );

  it('uses the host of an absolute target before Host (RFC 9112 §3.2.2)', async () => {
    const path = 'http://acme.example/.well-known/webauthn';
    expect(await ask(path, 'Host: globex.example')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['acme.example/jwks.json', 'acme.example/constructor', 'none.example/webauthn'])(
    'E0044R: is empty at /wellknown/%s',
    async (path) => {
      const answer = await new Client(server.url).get(`/wellknown/${path}`);
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
    },
  );

  it('what a domain publishes contains no text that another tenant wrote', async () => {
    const refused = await change(clientOf(server.url, 'globex-admin'), 'acme', 'acme.example', {
      relatedOrigins: ['https://globex.example'],
    });
    expect(refused.status).toBe(404);
    const own = await new Client(server.url).get('/wellknown/globex.example/webauthn');
    expect(own.status).toBe(404);
  });

  it('keeps omitted members, clears empty ones, and leaves an audit row', async () => {
    const [before] = await list('acme');
    expect(before).toMatchObject({ origins: ['https://acme.example'], ...WELL_KNOWN });
    const rival = (await list('globex')).filter(({ domain }) => domain === 'globex.example');
    expect(rival).toEqual([
      expect.objectContaining({ relatedOrigins: [], apps: {}, passkeyEndpoints: {} }),
    ]);
    const changed = await change(admin, 'acme', 'acme.example', { passkeyEndpoints: {} });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...WELL_KNOWN, passkeyEndpoints: {} },
    });
    expect((await lastAuditRow(server)).detail).toEqual({
      'passkeyEndpoints before': JSON.stringify(WELL_KNOWN.passkeyEndpoints),
      'passkeyEndpoints after': '{}',
    });
    const gone = await new Client(server.url).get('/wellknown/acme.example/passkey-endpoints');
    expect(gone.status).toBe(404);
    const { passkeyEndpoints } = WELL_KNOWN;
    expect((await change(admin, 'acme', 'acme.example', { passkeyEndpoints })).status).toBe(200);
  });

  const REFUSED: readonly object[] = [
    { relatedOrigins: 'https://x.example' },
    { relatedOrigins: ['http://x.example'] },
    { relatedOrigins: ['https://*.x.example'] },
    { relatedOrigins: ['https://x.example/'] },
    { relatedOrigins: ['https://x.example:443'] },
    { relatedOrigins: ['https://x.example:99999'] },
    { relatedOrigins: ['https://X.example'] },
    { relatedOrigins: ['https://127.0.0.1'] },
    { relatedOrigins: ['https://x.example', 'https://x.example'] },
    { relatedOrigins: Array.from({ length: 101 }, (_, n) => `https://x${n}.example`) },
    { relatedOrigins: null },
    { apps: [] },
    { apps: { windows: [] } },
    { apps: { android: [{ package: 'com.acme.app' }] } },
    { apps: { android: [{ package: 'com.acme.app', fingerprints: [] }] } },
    { apps: { android: [{ package: 'acme', fingerprints: [FINGERPRINT] }] } },
    { apps: { android: [{ package: 'com.acme.app', fingerprints: [FINGERPRINT.slice(3)] }] } },
    { apps: { android: [{ package: 'a.b', fingerprints: [FINGERPRINT], more: 1 }] } },
    { apps: { apple: ['com.acme.app'] } },
    { apps: { apple: ['TEAMID1234.com.acme.app"]'] } },
    { passkeyEndpoints: { enroll: 'http://acme.example/' } },
    { passkeyEndpoints: { manage: 'javascript:alert(1)' } },
    { passkeyEndpoints: { manage: 'https://user:pass@acme.example/' } },
    { passkeyEndpoints: { manage: 'https:/acme.example' } },
    { passkeyEndpoints: { other: 'https://acme.example/' } },
  ];

  it.each(REFUSED.map((body) => [JSON.stringify(body).slice(0, 90), body] as const))(
    'what a domain publishes is refused with a sentence that helps, and without any change: %s (E0045R)',
    async (_, body) => {
      const before = await server.snapshot();
      const [member] = Object.keys(body);
      for (const answer of [
        await change(admin, 'acme', 'acme.example', body),
        await admin.post(`${TENANTS}/acme/relying-parties`, {
          domain: 'new.acme.example',
          ...body,
        }),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
        expect(answer.body.errorMessage).toContain(`"${member}" must be`);
      }
      expect(await server.snapshot()).toBe(before);
    },
  );

  it('warns of more than five names, in the order in which browsers read them', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const five = [...names, 'www.a', 'shop.e'].map((name) => `https://${name}.example`);
    const fine = await change(admin, 'globex', 'globex.example', {
      relatedOrigins: [...five, 'https://e.co.uk', 'https://www.a.com.au'],
    });
    expect(fine.status).toBe(200);
    expect(fine.body).not.toHaveProperty('warnings');
    const beyond = await change(admin, 'globex', 'globex.example', {
      relatedOrigins: [...five, 'https://sixth.example', 'https://www.seventh.co.uk'],
    });
    expect(beyond.body['warnings']).toEqual([
      expect.stringMatching(/only 5 different names.*: sixth, seventh\.$/),
    ]);
    await change(admin, 'globex', 'globex.example', { relatedOrigins: [] });
  });

  it('warns of pages of the successor that are no related origins of the predecessor', async () => {
    const [old, young] = ['old.globex.test', 'new.globex.test'];
    const origins = [`https://${young}`, `https://www.${young}`, `https://app.${old}`];
    await server.addRelyingParty('globex', { domain: old, policy: { registration: 'ticket' } });
    await server.addRelyingParty('globex', { domain: young, origins });
    const warningsOf = async (answer: Promise<Answer>) => (await answer).body['warnings'];
    const unrelated = (pages: string) => [
      expect.stringMatching(`keys of ${old} on these pages: ${pages}. List them`),
    ];
    const both = unrelated(`https://${young}, https://www.${young}`);
    const move = { predecessor: old };
    expect(await warningsOf(change(admin, 'globex', `${young}?dryRun=yes`, move))).toEqual(both);
    expect(await warningsOf(change(admin, 'globex', young, move))).toEqual(both);
    const page = await admin.get(`/tenants/globex/${young}`, { accept: 'text/html' });
    expect(page.text).toContain(`do not offer keys of ${old} on these pages`);

    const one = { relatedOrigins: [`https://${young}`] };
    expect(await warningsOf(change(admin, 'globex', old, one))).toEqual(
      unrelated(`https://www.${young}`),
    );
    const all = { relatedOrigins: origins.slice(0, 2) };
    expect(await warningsOf(change(admin, 'globex', old, all))).toBeUndefined();
    expect(await warningsOf(change(admin, 'globex', young, { name: 'New' }))).toBeUndefined();
    await change(admin, 'globex', young, { predecessor: null });
  });

  it('accepts from a tenant account only related origins at or below its own domains', async () => {
    const globex = clientOf(server.url, 'globex-admin');
    const before = await server.snapshot();
    const listed = `android:apk-key-hash:${APP.slice(-43)}`;
    for (const body of [
      { relatedOrigins: ['https://free.test'] },
      { relatedOrigins: ['https://acme.example'] },
      { relatedOrigins: [RELATED] },
      { relatedOrigins: ['https://example'] },
      { apps: WELL_KNOWN.apps },
      { origins: ['https://globex.example', listed] },
    ]) {
      const answer = await change(globex, 'globex', 'globex.example', body);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
      expect(answer.body.errorMessage).not.toMatch(/\bacme\b(?!\.)/);
    }
    const domain = { domain: 'shop.acme-app.example' };
    expect((await globex.post(`${TENANTS}/globex/relying-parties`, domain)).status).toBe(400);
    expect(await server.snapshot()).toBe(before);
    const own = { relatedOrigins: ['https://login.globex.example'] };
    expect((await change(globex, 'globex', 'globex.example', own)).status).toBe(200);
    await change(globex, 'globex', 'globex.example', { relatedOrigins: [] });
  });

  const begun = (origin: string) =>
    new Client(server.url, { origin }).post(PATHS.certify.beginRegistration, {
      username: 'anna',
      displayName: 'Anna',
    });
  const rpIdOf = ({ body }: Answer) => (body['rp'] as { id?: string } | undefined)?.id;

  it.each([RELATED, 'https://shop.acme-app.example:8443', APP])(
    'lets %s register and sign in, with the relying party found by origin',
    async (origin) => {
      expect(rpIdOf(await begun(origin))).toBe('acme.example');
      const client = new FidoClient(server.url, { relyingParty: 'acme.example', origin });
      expect(await client.register(`at ${origin}`)).toMatchObject({ status: 200 });
      expect(await client.signIn(`at ${origin}`)).toMatchObject({ status: 200 });
    },
  );

  it('what a domain publishes does not allow an origin that only resembles a related one (E0029R)', async () => {
    for (const origin of ['https://www.acme.test', 'https://acme.test:8443', `${APP}A`]) {
      expectRefusal(await begun(origin), 'E0025R');
      const client = new FidoClient(server.url, { relyingParty: 'acme.example', origin });
      const body = client.create(await client.beginRegistration('ben'));
      expectRefusal(await client.completeRegistration(body), 'E0029R');
    }
  });

  it('determines no relying party from an origin that two list (E0025R)', async () => {
    await server.addRelyingParty('initech', {
      domain: 'initech.example',
      relatedOrigins: [RELATED],
    });
    expectRefusal(await begun(RELATED), 'E0025R');
    await admin.send(`${TENANTS}/initech`, { method: 'DELETE' });
    expect(rpIdOf(await begun(RELATED))).toBe('acme.example');
  });

  it('lets preflights of related origins pass until they are removed', async () => {
    const preflight = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const init = { method: 'OPTIONS', headers };
      const answer = await new Client(server.url).send(PATHS.certify.beginRegistration, init);
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await preflight(RELATED)).toBe(RELATED);
    expect(await preflight('https://www.acme.test')).toBeNull();
    await change(admin, 'acme', 'acme.example', { relatedOrigins: [] });
    expect(await preflight(RELATED)).toBeNull();
    expectRefusal(await begun(RELATED), 'E0025R');
    const { relatedOrigins } = WELL_KNOWN;
    await change(admin, 'acme', 'acme.example', { relatedOrigins });
    expect(await preflight(RELATED)).toBe(RELATED);
  });

  function change(client: Client, tenant: string, domain: string, body: object) {
    return client.patch(`${TENANTS}/${tenant}/relying-parties/${domain}`, body);
  }

  async function list(tenant: string) {
    const { body } = await admin.get(`${TENANTS}/${tenant}/relying-parties`);
    return body['relyingParties'] as Record<string, unknown>[];
  }

  /** The answer to a request with headers that no HTTP client would send. */
  async function ask(path: string, ...lines: string[]) {
    const head = [`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''];
    return sendRaw(server.url, head.join('\r\n'));
  }
});

function publishedFiles() {
  return [
    ['webauthn', { origins: WELL_KNOWN.relatedOrigins }],
    [
      'assetlinks.json',
      [
        {
          relation: [
            'delegate_permission/common.handle_all_urls',
            'delegate_permission/common.get_login_creds',
          ],
          target: {
            namespace: 'android_app',
            package_name: 'com.acme.app',
            sha256_cert_fingerprints: [FINGERPRINT.toUpperCase()],
          },
        },
      ],
    ],
    ['apple-app-site-association', { webcredentials: { apps: ['TEAMID1234.com.acme.app'] } }],
    ['passkey-endpoints', WELL_KNOWN.passkeyEndpoints],
  ] as const;
}
