import { randomUUID } from 'node:crypto';
import { AccountSetup } from '../../src/accounts/account-setup.js';
import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { Accounts } from '../../src/platform/access/accounts/accounts.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { AdminClient } from '../support/admin-client.js';
import { changingCall } from '../support/changing-call.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { lostAnswers, rowChecks } from '../support/lost-answers.js';
import { describeWith } from '../support/needs.js';
import { settle } from '../support/settled-users.js';
import { startBehindProxy } from '../support/proxied-server.js';
import { relyingPartyOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';
const MODEL = '00112233-4455-6677-8899-aabbccddeeff';

describeWith('MariaDB')('administrative changes whose answer from MariaDB is lost', () => {
  let stop: () => Promise<void>;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    ({ server, proxy, stop } = await startBehindProxy({ aaguid: true }));
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => stop());

  it('refuses a change and stores nothing if the database stops answering within its unit (E0052R)', async () => {
    proxy.arm('INSERT INTO `tenants`', 'silence');
    expect(await addTenant('silent')).toMatchObject({
      status: 503,
      body: { errorCode: 'E0052R', reason: 'server.unavailable' },
    });
    expect((await addTenant('silent')).status).toBe(201);
  });

  const itStoresOnce = lostAnswers(() => proxy);
  const { hasOne, hasNone } = rowChecks(() => server);
  const hasCreatedRow = (tenant: string) =>
    hasOne("audit WHERE action = 'tenant.create' AND tenant = ?", Buffer.from(tenant));
  const send = (method: string, path: string, body?: object) =>
    admin.sendJson(method, path, { body: body ?? {} });
  const accounts = () => server.get(ConsoleAccounts);
  const addTenant = (tenant: string) => admin.post(TENANTS, { tenant });
  const domainOf = (name: string) => `${name}.example`;
  const relyingParties = (tenant: string) => `${TENANTS}/${tenant}/relying-parties`;
  const addRelyingParty = (name: string) =>
    admin.post(relyingParties('default'), { domain: domainOf(name) });
  const addKey = (name: string) =>
    admin.post('/tenantapi/keys', { tenant: 'default', name, scopes: ['users:read'] });

  /** A model of which one user has a key. */
  const addModel = async (username: string) => {
    const aaguid = randomUUID();
    const model = aaguidBytes(aaguid);
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username, model }]);
    return { jobs: `/userapi/aaguid/${aaguid}/jobs`, model };
  };

  itStoresOnce('a ticket', (username) => ({
    call: () => admin.post('/userapi/tickets', { username, relyingParty: 'localhost' }),
    isStored: () => hasOne('tickets WHERE username = ?', Buffer.from(username)),
  }));

  itStoresOnce('the reset of an account', async (name) => {
    const before = await accounts().create(
      changingCall(server, 'account.create'),
      name,
      { role: 'auditor' },
      'link',
    );
    return {
      call: async () =>
        expect(
          await accounts().reset(changingCall(server, 'account.reset'), name, 'link'),
        ).not.toEqual(before),
      isStored: () => hasOne('console_accounts WHERE name = ?', name),
    };
  });

  itStoresOnce('a change of the own password', async (name) => {
    const before = await accounts().create(
      changingCall(server, 'account.create'),
      name,
      { role: 'auditor' },
      'password',
    );
    const password = 'another horse: battery';
    return {
      call: () =>
        accounts().changePassword(
          changingCall(server, 'account.password', { name, role: 'auditor' }),
          before.secret,
          password,
        ),
      isStored: async () => (await server.get(Accounts).find(name, password)) !== undefined,
    };
  });

  itStoresOnce('the use of a setup link', async (name) => {
    const permissions = { role: 'auditor' } as const;
    const { secret } = await accounts().create(
      changingCall(server, 'account.create'),
      name,
      permissions,
      'link',
    );
    const password = 'another horse: battery';
    const caller = { account: name, role: 'auditor', address: '', requestId: 'test' };
    const row = { ...caller, action: 'account.setup', result: 'ok' } as const;
    return {
      call: () => server.get(AccountSetup).finish(secret, { password }, () => row),
      isStored: async () => (await server.get(Accounts).find(name, password)) !== undefined,
    };
  });

  itStoresOnce('a new tenant', (name) => ({
    call: () => addTenant(name),
    isStored: async () =>
      (await hasOne('tenants WHERE name = ?', name)) && (await hasCreatedRow(name)),
  }));

  itStoresOnce('a change of a tenant', async (name) => {
    await addTenant(name);
    return {
      call: () => send('PATCH', `${TENANTS}/${name}`, { displayName: 'renamed' }),
      isStored: () => hasOne("tenants WHERE name = ? AND display_name = 'renamed'", name),
    };
  });

  itStoresOnce('the removal of a tenant', async (name) => {
    await addTenant(name);
    return {
      call: () => send('DELETE', `${TENANTS}/${name}`),
      isStored: () => hasNone('tenants WHERE name = ? AND closed_at = 0', name),
    };
  });

  itStoresOnce('a new relying party', (name) => ({
    call: () => addRelyingParty(name),
    isStored: () => hasOne('relying_parties WHERE domain = ?', domainOf(name)),
  }));

  itStoresOnce('a change of a policy', async (name) => {
    await addRelyingParty(name);
    const policy = { registration: 'ticket' };
    return {
      call: () => send('PATCH', `${relyingParties('default')}/${domainOf(name)}`, { policy }),
      isStored: () =>
        hasOne("relying_parties WHERE domain = ? AND policy LIKE '%ticket%'", domainOf(name)),
    };
  });

  itStoresOnce('the removal of a relying party', async (name) => {
    await addRelyingParty(name);
    return {
      call: () => send('DELETE', `${relyingParties('default')}/${domainOf(name)}`),
      isStored: () => hasNone('relying_parties WHERE domain = ? AND closed_at = 0', domainOf(name)),
    };
  });

  itStoresOnce('a new application key', (name) => ({
    call: () => addKey(name),
    isStored: () => hasOne('application_keys WHERE name = ?', name),
  }));

  itStoresOnce('the revocation of an application key', async (name) => {
    const { body } = await addKey(name);
    const { id } = body['key'] as { id: string };
    return {
      call: () => send('DELETE', `/tenantapi/keys/${id}`),
      isStored: () => hasOne('application_keys WHERE name = ? AND revoked_at IS NOT NULL', name),
    };
  });

  itStoresOnce('a model on the whitelist', async () => {
    await send('DELETE', `/userapi/aaguid/${MODEL}`);
    return {
      call: () => admin.post('/userapi/aaguid', { aaguid: MODEL, name: 'Model' }),
      isStored: () => hasOne("aaguids WHERE name = 'Model' AND removed_at = 0"),
    };
  });

  itStoresOnce('the removal of a model from the whitelist', async () => {
    await admin.post('/userapi/aaguid', { aaguid: MODEL, name: 'Model' });
    return {
      call: () => send('DELETE', `/userapi/aaguid/${MODEL}`),
      isStored: () => hasNone("aaguids WHERE name = 'Model' AND removed_at = 0"),
    };
  });

  itStoresOnce('the start of a job that disables the keys of a model', async (name) => {
    const { jobs, model } = await addModel(name);
    return {
      call: () => admin.post(jobs, {}),
      isStored: () => hasOne('model_jobs WHERE aaguid = ?', model),
    };
  });

  itStoresOnce('the undo of such a job', async (name) => {
    const { jobs, model } = await addModel(name);
    const { body } = await admin.post(jobs, {});
    const { id } = body['job'] as { id: string };
    return {
      call: () => admin.post(`${jobs}/${id}/undo`, {}),
      isStored: () =>
        hasOne("model_jobs WHERE aaguid = ? AND state IN ('undoing', 'undone')", model),
    };
  });
});
