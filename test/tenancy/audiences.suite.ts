import { decodeJwt } from 'jose';
import { DataSource } from 'typeorm';
import { titleOf } from '../../src/health/setup/setup-finding.js';
import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { ACCOUNTS, accountsFile, clientOf } from '../support/accounts.js';
import { Client, adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const BANK = { name: 'bank-admin', role: 'admin', tenants: ['bank'] } as const;
const FINDING = 'A policy lists audiences of another tenant.';

describe.each(DATABASES)('the audiences of two tenants on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  let acme: Client;
  let bank: Client;
  beforeAll(async () => {
    server = await TestServer.start({
      on,
      options: { accounts: accountsFile([...ACCOUNTS, BANK]) },
    });
    admin = adminClient(server.url);
    acme = clientOf(server.url, 'acme-admin');
    bank = clientOf(server.url, 'bank-admin');
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    await send(admin, 'POST', '', { tenant: 'bank' });
    await removeBank();
    await list(admin, 'acme', []);
  });

  const origin = 'https://acme.example';

  it.each(spellings())(
    'no administrator of one tenant lists %s, before or after another tenant has the domain (E0045R)',
    async (audience) => {
      for (const prepare of [removeBank, addBank]) {
        await prepare();
        const before = await server.snapshot();
        const answer = await list(acme, 'acme', [audience]);
        expect(answer.body).toMatchObject({ errorCode: 'E0045R', reason: 'domain.notOwn' });
        expect(answer.body.errorMessage).not.toContain('tenant "bank"');
        expect(await server.snapshot()).toBe(before);
      }
    },
  );

  it.each(['bank-api', 'https://api.partner.test', 'https://10.0.0.1', 'urn:acme.example:api'])(
    'only an administrator of all tenants lists %s, which no domain owns or no reader finds a host in',
    async (audience) => {
      expect((await list(acme, 'acme', [audience])).body.errorCode).toBe('E0045R');
      expect((await list(admin, 'acme', [audience])).status).toBe(200);
      // It is listed now, and a change of another rule keeps it.
      expect((await list(acme, 'acme', [audience, 'api.acme.example'])).status).toBe(200);
    },
  );

  it.each(spellings())(
    'an administrator of all tenants who lists %s for one tenant reads which other tenant owns it (E0045R)',
    async (audience) => {
      await addBank();
      const answer = await list(admin, 'acme', [audience]);
      expect(answer.body).toMatchObject({ errorCode: 'E0045R', reason: 'audience.taken' });
      expect(answer.body.errorMessage).toContain('The tenant "bank"');
      const trail = JSON.stringify((await acme.get('/userapi/audit')).body);
      expect(trail).toContain('audience.taken');
      expect(trail).not.toContain('"bank"');
    },
  );

  it('a tenant cannot list what another one lists, until that one removes it (E0045R)', async () => {
    await addBank();
    for (const audience of ['https://api.bank.example', 'bank-api']) {
      await store('acme', [audience]);
      const named = await list(admin, 'bank', [audience]);
      expect(named.body).toMatchObject({ errorCode: 'E0045R', reason: 'audience.taken' });
      expect(named.body.errorMessage).toContain('The tenant "acme"');
      const unnamed = await list(bank, 'bank', [audience]);
      expect(unnamed.body.errorCode).toBe('E0045R');
      expect(unnamed.body.errorMessage).not.toContain('acme');
      await list(acme, 'acme', []);
      expect((await list(admin, 'bank', [audience])).status).toBe(200);
      await list(bank, 'bank', []);
    }
  });

  it('an audience that only one tenant lists stays valid if an earlier version stored it', async () => {
    const audiences = ['bank-api', 'https://api.bank.example', 'urn:bank.example:api'];
    await store('acme', audiences);
    expect(await findings()).not.toContain(FINDING);
    const ann = await newUser('ann');
    for (const audience of audiences) {
      const begun = await ann.beginAuthentication('ann', { audience });
      const { body } = await ann.completeAuthentication(ann.assert(begun));
      expect(decodeJwt(String(body['token'])).aud).toBe(audience);
    }
  });

  it('a new domain takes the audiences at and below it from the other tenants, and its answer says so', async () => {
    const audience = 'https://api.bank.example';
    await store('acme', [audience, 'bank-api']);
    const ben = await newUser('ben');
    const begun = await ben.beginAuthentication('ben', { audience });

    const added = await addBank();
    expect(added).toMatchObject({ status: 201 });
    expect(String(added.body['warnings'])).toMatch(
      /acme\.example \(tenant "acme"\).*https:\/\/api\.bank/,
    );

    const refused = await ben.completeAuthentication(ben.assert(begun));
    expectRefusal(refused, 'E0038R');
    expect(refused.body.reason).toBe('audience.notYours');
    const again = await ben.beginAuthentication('ben', { audience });
    expectRefusal(again, 'E0001R');
    expect(again.body.reason).toBe('audience.notYours');
    expect((await ben.beginAuthentication('ben', { audience: 'bank-api' })).status).toBe(200);
    expect((await ben.signIn('ben')).status).toBe(200);

    expect(await findings()).toContain(FINDING);
    const { body } = await acme.get('/tenantapi/tenants/acme/relying-parties/acme.example');
    expect(String(body['warnings'])).toContain(audience);
    expect(String(body['warnings'])).not.toContain('"bank"');
    const { body: theirs } = await bank.get('/tenantapi/tenants/bank/relying-parties/bank.example');
    expect(theirs['warnings']).toBeUndefined();
    const page = await acme.get('/tenants/acme/acme.example', { accept: 'text/html' });
    expect(page.text).toContain(`gets a token for them: ${audience}`);

    // Other rules can still be changed, and removing it ends the problem.
    const policy = { audiences: [audience, 'bank-api'], maxCredentials: 5 };
    const other = await send(acme, 'PATCH', 'acme/relying-parties/acme.example', { policy });
    expect(other.status).toBe(200);
    await list(acme, 'acme', ['bank-api']);
    expect(await findings()).not.toContain(FINDING);
  });

  it('a ceremony for an audience that went to another tenant since is refused (E0038R)', async () => {
    await addBank();
    await list(admin, 'acme', ['orders']);
    const cleo = await newUser('cleo');
    const begun = await cleo.beginAuthentication('cleo', { audience: 'orders' });
    await list(admin, 'acme', []);
    expect((await list(admin, 'bank', ['orders'])).status).toBe(200);
    const refused = await cleo.completeAuthentication(cleo.assert(begun));
    expectRefusal(refused, 'E0038R');
    expect(refused.body.reason).toBe('audience.notYours');
  });

  it('neither of two tenants for which an earlier version stored the same audience gets tokens', async () => {
    await addBank();
    await store('acme', ['orders']);
    await store('bank', ['Orders']);
    const dan = await newUser('dan');
    expectRefusal(await dan.beginAuthentication('dan', { audience: 'orders' }), 'E0001R');
    await list(bank, 'bank', []);
    expect((await dan.beginAuthentication('dan', { audience: 'orders' })).status).toBe(200);
  });

  it('one of two tenants gets an audience that two administrators of all tenants list at once', async () => {
    await addBank();
    const tenancy = server.get(TenancyService);
    for (let round = 0; round < 5; round += 1) {
      const policy = { audiences: [`race-${round}`] };
      const outcomes = await Promise.allSettled(
        ['acme', 'bank'].map((tenant) =>
          tenancy.changeRelyingParty(server.call, tenant, `${tenant}.example`, { policy }),
        ),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  function send(client: Client, method: string, path: string, body: object) {
    return client.sendJson(method, `/tenantapi/tenants/${path}`, { body });
  }

  function list(client: Client, tenant: string, audiences: readonly string[]) {
    return send(client, 'PATCH', `${tenant}/relying-parties/${tenant}.example`, {
      policy: { audiences },
    });
  }

  function removeBank() {
    return send(admin, 'DELETE', 'bank/relying-parties/bank.example', {}).then(({ status }) =>
      expect([200, 404]).toContain(status),
    );
  }

  /** What an earlier version stored, which asked for less. */
  async function store(tenant: string, audiences: readonly string[]): Promise<void> {
    await server
      .get(DataSource)
      .query('UPDATE relying_parties SET policy = ? WHERE domain = ?', [
        JSON.stringify({ audiences }),
        `${tenant}.example`,
      ]);
    await server.get(RelyingPartyCache).refresh();
  }

  function newUser(username: string) {
    return FidoClient.registered(server.url, username, { relyingParty: 'acme.example', origin });
  }

  function addBank() {
    return send(admin, 'POST', 'bank/relying-parties', { domain: 'bank.example' });
  }

  async function findings() {
    return (await server.get(SetupFindings).all()).map(titleOf);
  }
});

function spellings() {
  return [
    'https://api.bank.example',
    'bank.example',
    'BANK.example',
    'bank.example.',
    'bank.example/api',
    'api.bank.example/v1',
    'bank.example:443',
    'urn:bank.example:api',
    'https://API.b%61nk.example:443/',
    'https://acme.example@bank.example',
    'https://bank.example@acme.example',
  ];
}
