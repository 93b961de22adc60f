import { randomUUID } from 'node:crypto';
import { AccountSetup } from '../../src/console/accounts/account-setup.service.js';
import { ConsoleAccounts } from '../../src/console/accounts/console-accounts.service.js';
import { Accounts } from '../../src/platform/access/accounts/accounts.js';
import { OPERATOR } from '../../src/platform/access/accounts/account.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { AdminClient } from '../support/admin-client.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { itReportsWhatHappened, type LostWrite } from '../support/lost-answers.js';
import { describeWith } from '../support/needs.js';
import { settle } from '../support/people.js';
import { startBehindProxy } from '../support/proxied-server.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const TENANTS = '/tenantapi/tenants';
const MODEL = '00112233-4455-6677-8899-aabbccddeeff';

describeWith('MariaDB')('an administrative change whose answer is lost (FL13)', () => {
  let stop: () => Promise<void>;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    ({ server, proxy, stop } = await startBehindProxy({ aaguid: true }));
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => stop());

  it('is answered with its unknown outcome where the database falls silent', async () => {
    proxy.arm('INSERT INTO `tenants`', 'silence');
    const answer = await addTenant('silent');
    expect(answer).toMatchObject({
      status: 503,
      body: { errorCode: 'E0052R', reason: 'server.outcomeUnknown' },
    });
    expect(answer.body.errorMessage).toContain('may be stored or not');
    // The database had stored it: a second request finds that.
    expect((await addTenant('silent')).body).toMatchObject({ reason: 'tenant.taken' });
  });

  const count = (what: string, ...params: (string | Buffer)[]) => countOf(server, what, ...params);
  const createdRows = (tenant: string) =>
    count("audit WHERE action = 'tenant.create' AND tenant = ?", Buffer.from(tenant));
  const send = (method: string, path: string, body?: object) =>
    admin.send(path, { method, headers: JSON_TYPE, body: JSON.stringify(body ?? {}) });
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

  const WRITES: LostWrite[] = [
    [
      'a ticket',
      (username) =>
        Promise.resolve([
          () => admin.post('/userapi/tickets', { username, relyingParty: 'localhost' }),
          () => count('tickets WHERE username = ?', Buffer.from(username)),
        ]),
    ],
    [
      'the reset of an account',
      async (name) => {
        const before = await accounts().create(OPERATOR, name, { role: 'auditor' }, 'link');
        return [
          async () => expect(await accounts().reset(name, 'link', OPERATOR)).not.toEqual(before),
          () => count('console_accounts WHERE name = ?', name),
        ];
      },
    ],
    [
      'a change of the own password',
      async (name) => {
        const before = await accounts().create(OPERATOR, name, { role: 'auditor' }, 'password');
        const password = 'another horse: battery';
        return [
          () => accounts().changePassword({ name, role: 'auditor' }, before.secret, password),
          async () => Number((await server.get(Accounts).find(name, password)) !== undefined),
        ];
      },
    ],
    [
      'the use of a setup link',
      async (name) => {
        const rights = { role: 'auditor' } as const;
        const { secret } = await accounts().create(OPERATOR, name, rights, 'link');
        const password = 'another horse: battery';
        return [
          () => server.get(AccountSetup).finish(secret, { password }),
          async () => Number((await server.get(Accounts).find(name, password)) !== undefined),
        ];
      },
    ],
    [
      'a new tenant',
      (name) =>
        Promise.resolve([
          () => addTenant(name),
          async () => (await count('tenants WHERE name = ?', name)) * (await createdRows(name)),
        ]),
    ],
    [
      'a change of a tenant',
      async (name) => {
        await addTenant(name);
        return [
          () => send('PATCH', `${TENANTS}/${name}`, { displayName: 'renamed' }),
          () => count("tenants WHERE name = ? AND display_name = 'renamed'", name),
        ];
      },
    ],
    [
      'the removal of a tenant',
      async (name) => {
        await addTenant(name);
        return [
          () => send('DELETE', `${TENANTS}/${name}`),
          async () => 1 - (await count('tenants WHERE name = ? AND closed_at = 0', name)),
        ];
      },
    ],
    [
      'a new relying party',
      (name) =>
        Promise.resolve([
          () => addRelyingParty(name),
          () => count('relying_parties WHERE domain = ?', domainOf(name)),
        ]),
    ],
    [
      'a change of a policy',
      async (name) => {
        await addRelyingParty(name);
        const policy = { registration: 'ticket' };
        return [
          () => send('PATCH', `${relyingParties('default')}/${domainOf(name)}`, { policy }),
          () =>
            count("relying_parties WHERE domain = ? AND policy LIKE '%ticket%'", domainOf(name)),
        ];
      },
    ],
    [
      'the removal of a relying party',
      async (name) => {
        await addRelyingParty(name);
        return [
          () => send('DELETE', `${relyingParties('default')}/${domainOf(name)}`),
          async () =>
            1 - (await count('relying_parties WHERE domain = ? AND closed_at = 0', domainOf(name))),
        ];
      },
    ],
    [
      'a new application key',
      (name) =>
        Promise.resolve([() => addKey(name), () => count('application_keys WHERE name = ?', name)]),
    ],
    [
      'the revocation of an application key',
      async (name) => {
        const { body } = await addKey(name);
        const { id } = body['key'] as { id: string };
        return [
          () => send('DELETE', `/tenantapi/keys/${id}`),
          () => count('application_keys WHERE name = ? AND revoked_at IS NOT NULL', name),
        ];
      },
    ],
    [
      'a model on the whitelist',
      async () => {
        await send('DELETE', `/userapi/aaguid/${MODEL}`);
        return [
          () => admin.post('/userapi/aaguid', { aaguid: MODEL, name: 'Model' }),
          () => count("aaguids WHERE name = 'Model' AND removed_at = 0"),
        ];
      },
    ],
    [
      'the removal of a model from the whitelist',
      async () => {
        await admin.post('/userapi/aaguid', { aaguid: MODEL, name: 'Model' });
        return [
          () => send('DELETE', `/userapi/aaguid/${MODEL}`),
          async () => 1 - (await count("aaguids WHERE name = 'Model' AND removed_at = 0")),
        ];
      },
    ],
    [
      'the start of a job that disables the keys of a model',
      async (name) => {
        const { jobs, model } = await addModel(name);
        return [() => admin.post(jobs, {}), () => count('model_jobs WHERE aaguid = ?', model)];
      },
    ],
    [
      'the undo of such a job',
      async (name) => {
        const { jobs, model } = await addModel(name);
        const { body } = await admin.post(jobs, {});
        const { id } = body['job'] as { id: string };
        return [
          () => admin.post(`${jobs}/${id}/undo`, {}),
          () => count("model_jobs WHERE aaguid = ? AND state IN ('undoing', 'undone')", model),
        ];
      },
    ],
  ];

  itReportsWhatHappened(WRITES, () => proxy);
});
