import { DataSource } from 'typeorm';
import { SharedRecords } from '../../src/platform/database/shared-records.js';
import { FirstStart } from '../../src/tenancy/first-start.js';
import { STORED_APPS } from '../../src/tenancy/tenancy-rows.js';
import { ACCOUNTS, accountsFile, clientOf } from '../support/accounts.js';
import { Client, adminClient, type Answer } from '../support/client.js';
import { DATABASES, type DatabaseName, type TestDatabase } from '../support/databases.js';
import { PATHS } from '../support/fido-client.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';
const ANDROID = 'android:apk-key-hash:Ab-cd_EF0123456789';
const GLOBEX = { name: 'globex-admin', role: 'admin', tenants: ['globex'] } as const;

const ORIGINS = [
  'https://acme.example',
  'https://*.acme.example',
  'https://acme-app.test',
  ANDROID,
];

describe.each(DATABASES)('the ownership of domains on %s', (on) => {
  let rivals: Rivals;
  let server: TestServer;
  let admin: Client;
  let globex: Client;
  let acme: Client;
  beforeAll(async () => {
    rivals = await Rivals.start(on);
    server = rivals.here;
    admin = adminClient(server.url);
    globex = clientOf(server.url, 'globex-admin');
    acme = clientOf(server.url, 'acme-admin');
  });
  afterAll(() => rivals.stop());

  it.each([
    ['a sub-domain of another tenant', 'app.acme.example'],
    ['a sub-domain of a sub-domain', 'a.b.acme.example'],
    ['the very domain of another tenant', 'acme.example'],
    ['what is above all of them', 'example'],
    ['a top-level domain', 'com'],
    ['a domain that another tenant allows as an origin', 'acme-app.test'],
    ['a sub-domain of such an origin', 'login.acme-app.test'],
    ['what is above such an origin', 'test'],
    ['a domain that nobody has', 'free.test'],
    ['a look-alike of an own domain', 'evilglobex.example'],
    ['localhost of the first start', 'localhost'],
    ['a sub-domain of localhost', 'globex.localhost'],
  ])('prevents an administrator of one tenant from adding %s (E0045R)', async (_, domain) => {
    await expectRefused(() => add(globex, 'globex', { domain }));
  });

  it.each([
    'https://acme.example',
    'http://acme.example:8080',
    'https://app.acme.example',
    'https://app.acme.example:8443',
    'https://app.acme.example:*',
    'https://*.acme.example',
    'https://*.app.acme.example',
    'https://*.example',
    'https://example',
    'https://acme-app.test',
    'https://*.acme-app.test',
    'https://*.com',
    'https://free.test',
    'http://localhost:*',
    'http://localhost:3000',
    ANDROID,
  ])(
    'prevents an administrator of one tenant from allowing the origin %s (E0045R)',
    async (origin) => {
      const origins = ['https://globex.example', origin];
      await expectRefused(() => change(globex, 'globex', 'globex.example', { origins }));
      await expectRefused(() => add(globex, 'globex', { domain: 'x.globex.example', origins }));
    },
  );

  it.each([
    'acme.example',
    'https://acme.example',
    'https://api.acme.example:8443/v1',
    'https://acme-app.test',
    'reports',
    'https://api.partner.test',
  ])(
    'prevents an administrator of one tenant from naming the audience %s (E0045R)',
    async (name) => {
      const policy = { audiences: ['https://api.globex.example', name] };
      await expectRefused(() => change(globex, 'globex', 'globex.example', { policy }));
      await expectRefused(() => add(globex, 'globex', { domain: 'x.globex.example', policy }));
    },
  );

  it('prevents a foreign domain and origin on the console pages too (E0045R)', async () => {
    const submit = (path: string, fields: Record<string, string>) =>
      globex.send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
    await expectRefused(() => submit('/tenants/globex', { domain: 'app.acme.example' }));
    const fields = { name: 'Globex', origins: 'https://globex.example\nhttps://app.acme.example' };
    await expectRefused(() => submit('/tenants/globex/globex.example', fields));
  });

  /** The RP ID that a page of this origin gets if it names no relying party. */
  const relyingPartyAt = async (origin: string) => {
    const body = { username: 'anna', displayName: 'Anna' };
    const page = new Client(server.url, { origin });
    const begun = await page.post(PATHS.certify.beginRegistration, body);
    return (begun.body['rp'] as { id: string } | undefined)?.id;
  };

  it('lets users of another tenant’s sub-domain keep signing in', async () => {
    await expectRefused(() => add(globex, 'globex', { domain: 'app.acme.example' }));
    expect(await relyingPartyAt('https://app.acme.example')).toBe('acme.example');
  });

  it('the ownership of domains does not restrict an administrator of one tenant below its own domains', async () => {
    expect((await add(globex, 'globex', { domain: 'app.globex.example' })).status).toBe(201);
    const origins = [
      'https://globex.example',
      'https://globex.example:8443',
      'https://*.globex.example',
      'https://www.globex.example:*',
      'android:apk-key-hash:another-app',
    ];
    const changed = await change(globex, 'globex', 'globex.example', { origins });
    expect(changed).toMatchObject({ status: 200, body: { origins } });
    const policy = { audiences: ['https://api.globex.example:8443/v1', 'globex.example'] };
    expect((await change(globex, 'globex', 'globex.example', { policy })).status).toBe(200);
    const removal = '/globex/relying-parties/app.globex.example';
    expect((await send(globex, 'DELETE', removal)).status).toBe(200);
  });

  it('accepts origins again that an administrator of all tenants has allowed', async () => {
    const origins = ['https://acme.example', 'https://*.acme.example', 'https://acme-app.test'];
    const changed = await change(acme, 'acme', 'acme.example', { name: 'Acme', origins });
    expect(changed).toMatchObject({ status: 200, body: { origins } });
    const wider = [...origins, 'https://acme-app.test:8443'];
    await expectRefused(() => change(acme, 'acme', 'acme.example', { origins: wider }));
    const again = [...origins, ANDROID];
    expect((await change(acme, 'acme', 'acme.example', { origins: again })).status).toBe(200);
    await change(admin, 'acme', 'acme.example', { confirmedApps: [ANDROID] });
  });

  describe('an administrator of all tenants', () => {
    it('an administrator of all tenants may give a sub-domain to another tenant, whose users then sign in there', async () => {
      expect((await add(admin, 'globex', { domain: 'app.acme.example' })).status).toBe(201);
      expect(await relyingPartyAt('https://app.acme.example')).toBe('app.acme.example');
      // The nearest parent does not allow it; the next one does.
      expect(await relyingPartyAt('https://x.app.acme.example')).toBe('acme.example');
      await expectRefused(() => add(acme, 'acme', { domain: 'x.app.acme.example' }));
      expect((await add(acme, 'acme', { domain: 'www.acme.example' })).status).toBe(201);
      const origins = ['https://app.acme.example', 'https://*.app.acme.example'];
      const own = await change(globex, 'globex', 'app.acme.example', { origins });
      expect(own.status).toBe(200);
      expect(await relyingPartyAt('https://x.app.acme.example')).toBe('app.acme.example');
      await send(admin, 'DELETE', '/globex/relying-parties/app.acme.example');
      expect((await add(acme, 'acme', { domain: 'x.app.acme.example' })).status).toBe(201);
    });

    it('an administrator of all tenants may not give one domain to two tenants (E0045R)', async () => {
      await expectRefused(() => add(admin, 'globex', { domain: 'acme.example' }));
    });
  });

  describe('a wildcard at an own domain below which another tenant has one', () => {
    const own = 'wide.acme.example';
    const given = `shop.${own}`;
    const exact = [`https://${own}`, `https://${own}:8443`];
    const wide = `https://*.${own}`;
    const give = async () =>
      expect((await add(admin, 'globex', { domain: given })).status).toBe(201);
    beforeEach(async () => {
      expect((await add(acme, 'acme', { domain: own })).status).toBe(201);
    });
    afterEach(async () => {
      await send(admin, 'DELETE', `/globex/relying-parties/${given}`);
      await send(admin, 'DELETE', `/acme/relying-parties/${own}`);
    });

    it.each([wide, `${wide}:8443`, `${wide}:*`, `http://*.${own}`])(
      'is refused as %s for an administrator of one tenant, in a new relying party and in a change (E0045R)',
      async (wildcard) => {
        await give();
        const origins = [...exact, wildcard];
        await expectRefused(() => change(acme, 'acme', own, { origins }));
        await expectRefused(() => add(acme, 'acme', { domain: `www.${own}`, origins }));
        expect((await change(acme, 'acme', own, { origins: exact })).status).toBe(200);
        expect(await relyingPartyAt(`https://x.${given}`)).toBe('acme.example');
      },
    );

    it('stays allowed if it was listed before the other tenant got its domain, until it is removed', async () => {
      const origins = [...exact, wide];
      expect((await change(acme, 'acme', own, { origins })).status).toBe(200);
      await give();
      expect((await change(acme, 'acme', own, { name: 'Wide', origins })).status).toBe(200);
      expect((await change(acme, 'acme', own, { origins: exact })).status).toBe(200);
      await expectRefused(() => change(acme, 'acme', own, { origins }));
    });

    it('is refused too where the other tenant only lists an origin, and allowed at the lower domain', async () => {
      await give();
      const listed = [`https://${given}`, `https://portal.${own}`, `https://*.${given}`];
      expect((await change(admin, 'globex', given, { origins: listed })).status).toBe(200);
      const lower = { origins: [...listed, `https://*.${given}:8443`] };
      expect((await change(globex, 'globex', given, lower)).status).toBe(200);
      await expectRefused(() => change(acme, 'acme', own, { origins: [...exact, wide] }));
      expect((await change(admin, 'acme', own, { origins: [...exact, wide] })).status).toBe(200);
    });

    it('gives its tenant no audience of the other tenant’s domain', async () => {
      await give();
      for (const audience of [`https://${given}`, `https://api.${given}`, given]) {
        const policy = { audiences: [audience] };
        await expectRefused(() => change(acme, 'acme', own, { policy }));
        await expectRefused(() => add(acme, 'acme', { domain: `www.${own}`, policy }));
      }
    });
  });

  it('an administrator may give away a sub-domain at one instance, and the others know at once', async () => {
    const there = clientOf(rivals.there.url, 'globex-admin');
    await send(admin, 'POST', '', { tenant: 'initech' });
    await add(admin, 'initech', { domain: 'it.globex.example' });
    await expectRefused(() => add(there, 'globex', { domain: 'x.it.globex.example' }));
    await send(admin, 'DELETE', '/initech');
    expect((await add(there, 'globex', { domain: 'x.it.globex.example' })).status).toBe(201);
  });

  it('gives a domain to one of two tenants whose administrators add it at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const domain = `race-${round}.acme.example`;
      const answers = await Promise.all([
        add(acme, 'acme', { domain }),
        add(clientOf(rivals.there.url, 'globex-admin'), 'globex', { domain: `www.${domain}` }),
        add(clientOf(rivals.there.url, 'acme-admin'), 'acme', { domain }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
      expect(answers[1].status).toBe(400);
    }
  });

  it('keeps an origin deleted when another administrator’s change follows', async () => {
    const there = clientOf(rivals.there.url, 'acme-admin');
    for (let round = 0; round < 10; round += 1) {
      const origin = `https://partner-${round}.test`;
      const own = ['https://acme.example'];
      await change(admin, 'acme', 'acme.example', { origins: [...own, origin] });
      await Promise.all([
        change(admin, 'acme', 'acme.example', { origins: own }),
        change(there, 'acme', 'acme.example', { name: `Acme ${round}` }),
      ]);
      const { body } = await admin.get(`${TENANTS}/acme/relying-parties`);
      const { relyingParties } = body as { relyingParties?: { domain: string }[] };
      const found = relyingParties?.find(({ domain }) => domain === 'acme.example');
      expect(found).toMatchObject({ name: `Acme ${round}`, origins: own });
    }
    await change(admin, 'acme', 'acme.example', { origins: ORIGINS });
  });

  it('keeps an app origin from no other tenant until it is confirmed', async () => {
    const there = clientOf(rivals.there.url, 'globex-admin');
    const app = 'android:apk-key-hash:of-globex';
    const domain = 'squatter.acme.example';
    const origins = [`https://${domain}`, app];
    const own = ['https://globex.example', app];
    const answers = await Promise.all([
      add(acme, 'acme', { domain, origins }),
      change(there, 'globex', 'globex.example', { origins: own }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
    const confirmed = { confirmedApps: [app] };
    expect(await change(admin, 'globex', 'globex.example', confirmed)).toMatchObject({
      status: 200,
      body: confirmed,
    });
    expect(await relyingPartyAt(app)).toBe('globex.example');
    await change(acme, 'acme', domain, { origins: origins.slice(0, 1) });
    const refused = await change(acme, 'acme', domain, { origins });
    expect(refused).toMatchObject({ status: 400, body: { reason: 'domain.taken' } });
    await change(there, 'globex', 'globex.example', { origins: own.slice(0, 1) });
  });

  describe.each([
    ['acme', 'globex'],
    ['globex', 'acme'],
  ] as const)('an app origin that %s listed before %s', (first, second) => {
    const shell = `capacitor://${first}-first`;
    const key = `android:apk-key-hash:${first}-first`;
    const adminOf = { acme: () => acme, globex: () => globex };
    const place = (tenant: 'acme' | 'globex') => `app-of-${first}-first.${tenant}.example`;
    const lists = (client: Client, tenant: 'acme' | 'globex', ...apps: string[]) =>
      change(client, tenant, place(tenant), { origins: [`https://${place(tenant)}`, ...apps] });
    beforeAll(async () => {
      for (const tenant of [first, second]) {
        expect((await add(adminOf[tenant](), tenant, { domain: place(tenant) })).status).toBe(201);
      }
    });

    it('names a relying party only where an administrator of all tenants confirmed it', async () => {
      // Only administrators of these tenants list it: it names no relying party.
      const listed = await lists(adminOf[first](), first, shell, key);
      expect(listed).toMatchObject({ status: 200, body: { confirmedApps: [] } });
      expect(String(listed.body['warnings'])).toContain(`${shell}, ${key}`);
      expect((await lists(adminOf[second](), second, shell)).status).toBe(200);
      expect(await relyingPartyAt(shell)).toBeUndefined();
      expect(await relyingPartyAt(key)).toBeUndefined();
      // Nobody of one tenant confirms it, and nobody one that is not listed.
      const confirm = (client: Client, tenant: 'acme' | 'globex', ...confirmedApps: string[]) =>
        change(client, tenant, place(tenant), { confirmedApps });
      const path = `/tenants/${first}/${place(first)}/confirm-apps`;
      const before = await server.snapshot();
      expect(await confirm(adminOf[first](), first, shell)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0043R', reason: 'permission.limitedAccount' },
      });
      expect((await adminOf[first]().send(path, { method: 'POST' })).status).toBe(403);
      expect(await confirm(admin, second, key)).toMatchObject({
        status: 400,
        body: { errorCode: 'E0045R', reason: 'apps.notListed' },
      });
      expect(await server.snapshot()).toBe(before);
      // An administrator of all tenants confirms it, or lists it: it names that relying party.
      const confirmed = await change(admin, second, place(second), { confirmedApps: [shell] });
      expect(confirmed).toMatchObject({ status: 200, body: { confirmedApps: [shell] } });
      expect(confirmed.body['warnings']).toBeUndefined();
      expect(await relyingPartyAt(shell)).toBe(place(second));
      // What its administrator changes otherwise confirms nothing more, and takes nothing away.
      const renamed = await change(adminOf[second](), second, place(second), { name: 'Renamed' });
      expect(renamed).toMatchObject({ status: 200, body: { confirmedApps: [shell] } });
      const more = await lists(adminOf[second](), second, shell, `${shell}-2`);
      expect(more).toMatchObject({ status: 200, body: { confirmedApps: [shell] } });
      expect(await relyingPartyAt(shell)).toBe(place(second));
      expect((await lists(admin, second, shell, key)).body).toMatchObject({
        confirmedApps: [shell, key],
      });
      expect(await relyingPartyAt(key)).toBe(place(second));
      // Confirmed at two, it names none, until one is withdrawn.
      const page = `/tenants/${first}/${place(first)}`;
      const { body } = await admin.get(`${TENANTS}/${first}/relying-parties/${place(first)}`);
      const answer = await admin.send(`${page}/confirm-apps`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ version: `"${String(body['version'])}"` }).toString(),
      });
      expect(answer.status).toBe(303);
      expect(await relyingPartyAt(shell)).toBeUndefined();
      expect(await relyingPartyAt(key)).toBeUndefined();
      await change(admin, second, place(second), { confirmedApps: [] });
      expect(await relyingPartyAt(shell)).toBe(place(first));
      // Removed from the list and listed again, it is not confirmed.
      await lists(adminOf[first](), first);
      expect(await relyingPartyAt(shell)).toBeUndefined();
      const again = await lists(adminOf[first](), first, shell);
      expect(again).toMatchObject({ status: 200, body: { confirmedApps: [] } });
      expect(await relyingPartyAt(shell)).toBeUndefined();
    });
  });

  describe('an app origin that an instance of version 1.0 stored', () => {
    const listed = async (domain: string, ...apps: string[]) => {
      await add(acme, 'acme', { domain, origins: [`https://${domain}`, ...apps] });
      const database = server.get(DataSource);
      const sql = `UPDATE relying_parties SET confirmed_apps = NULL WHERE domain = '${domain}'`;
      await database.query(sql);
    };
    const start = () => server.get(FirstStart).onModuleInit();

    it('counts as confirmed after the upgrade, through changes too', async () => {
      const domain = 'old-app.acme.example';
      const old = 'ionic://stored-before';
      await listed(domain, old);
      await server.get(SharedRecords).remove(STORED_APPS);
      await start();
      expect(await relyingPartyAt(old)).toBe(domain);
      const origins = [`https://${domain}`, old, 'ionic://listed-now'];
      const changed = await change(acme, 'acme', domain, { origins });
      expect(changed).toMatchObject({ status: 200, body: { confirmedApps: [old] } });
      expect(await relyingPartyAt(old)).toBe(domain);
      expect(await relyingPartyAt('ionic://listed-now')).toBeUndefined();
    });

    it('an app origin of an instance of 1.0 is not confirmed if the instance stored it after the upgrade', async () => {
      const domain = 'late-app.acme.example';
      await listed(domain, 'ionic://stored-late');
      await start();
      expect(await relyingPartyAt('ionic://stored-late')).toBeUndefined();
      const read = await admin.get(`${TENANTS}/acme/relying-parties/${domain}`);
      expect(read.body).toMatchObject({ confirmedApps: [] });
      expect(String(read.body['warnings'])).toContain('ionic://stored-late');
    });
  });

  it('leaves a domain free if its tenant is removed in the meantime', async () => {
    for (let round = 0; round < 5; round += 1) {
      await send(admin, 'POST', '', { tenant: 'brief' });
      const domain = `brief-${round}.test`;
      const [made] = await Promise.all([
        add(admin, 'brief', { domain }),
        send(adminClient(rivals.there.url), 'DELETE', '/brief'),
      ]);
      expect([201, 404]).toContain(made.status);
      expect((await add(admin, 'globex', { domain })).status).toBe(201);
    }
  });

  /** Nothing has changed, and the answer does not say whose the name is. */
  async function expectRefused(attack: () => Promise<Answer>) {
    const before = await server.snapshot();
    const answer = await attack();
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect(answer.body.errorMessage).not.toMatch(/\bacme\b(?!\.|-app)/);
    expect(await server.snapshot()).toBe(before);
  }
});

function send(client: Client, method: string, path: string, body?: unknown) {
  return client.sendJson(method, TENANTS + path, { body });
}

function add(client: Client, tenant: string, body: object) {
  return send(client, 'POST', `/${tenant}/relying-parties`, body);
}

function change(client: Client, tenant: string, domain: string, body: object) {
  return send(client, 'PATCH', `/${tenant}/relying-parties/${domain}`, body);
}

/** Two tenants, each with an administrator of its own, at two instances over one database. */
class Rivals {
  private constructor(
    private readonly database: TestDatabase,
    readonly here: TestServer,
    readonly there: TestServer,
  ) {}

  static async start(on: DatabaseName): Promise<Rivals> {
    const database = await createServerDatabase(on);
    const options = { accounts: accountsFile([...ACCOUNTS, GLOBEX]) };
    const here = await TestServer.start({ database, options });
    await here.addRelyingParty('acme', {
      domain: 'acme.example',
      origins: ORIGINS,
      policy: { audiences: ['reports', 'https://api.partner.test'] },
    });
    await here.addRelyingParty('globex', { domain: 'globex.example' });
    return new Rivals(database, here, await TestServer.start({ database, options }));
  }

  async stop(): Promise<void> {
    await this.here.stop();
    await this.there.stop();
    await this.database.remove();
  }
}
