import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { bearer } from '../support/application-keys.js';
import { changingCall } from '../support/changing-call.js';
import type { Answer } from '../support/client.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { itReportsWhatHappened, rowChecks, type LostWrite } from '../support/lost-answers.js';
import { describeWith } from '../support/needs.js';
import { startBehindProxy } from '../support/proxied-server.js';
import type { TestServer } from '../support/test-server.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describeWith('MariaDB')('single changes whose answer from MariaDB is lost', () => {
  let stop: () => Promise<void>;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    ({ server, proxy, stop } = await startBehindProxy());
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => stop());

  afterEach(async () => {
    const { body } = await admin.get('/tenantapi/webhooks');
    for (const { id } of body['webhooks'] as { id: string }[]) {
      await send('DELETE', `/tenantapi/webhooks/${id}`);
    }
  });

  const { hasOne, hasNone } = rowChecks(() => server);
  const hasAuditRow = (action: string, target: string) =>
    hasOne(
      `audit WHERE action = '${action}' AND result = 'ok' AND target = ?`,
      Buffer.from(target),
    );
  const send = (method: string, path: string, body?: object) =>
    admin.sendJson(method, path, { body: body ?? {} });
  const accounts = () => server.get(ConsoleAccounts);

  const addWebhook = (url: string) =>
    admin.post('/tenantapi/webhooks', { tenant: 'default', url, events: ['user-deleted'] });
  async function webhook(name: string) {
    const url = `https://receiver.example/${name}`;
    const { body } = await addWebhook(url);
    return { url, id: String((body['webhook'] as { id: string }).id) };
  }
  const invite = (username: string) =>
    admin.post('/userapi/invitations', { username, ttl: 600, relyingParty: 'localhost' });
  const idOf = ({ body }: Answer) => String((body['invitation'] as { id: string }).id);

  /** A user with two keys, who is signed in with the first. */
  async function keyOwner(username: string) {
    const one = new FidoClient(server.url);
    const two = new FidoClient(server.url);
    for (const client of [one, two]) expect((await client.register(username)).status).toBe(200);
    const headers = bearer(String((await one.signIn(username)).body['token']));
    const id = two.keyId;
    return { headers, path: `/fidoapi/keys/${id}` };
  }
  const hasOneKey = (username: string, more = '') =>
    hasOne(
      `credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ? ${more}`,
      Buffer.from(username),
    );
  const own = (owner: Awaited<ReturnType<typeof keyOwner>>, init: RequestInit) =>
    new FidoClient(server.url, { relyingParty: 'localhost' }).send(owner.path, {
      ...init,
      headers: { ...JSON_TYPE, ...owner.headers },
    });

  const WRITES: LostWrite[] = [
    {
      title: 'a new webhook',
      prepare: (name) => {
        const url = `https://receiver.example/${name}`;
        return {
          call: () => addWebhook(url),
          isStored: () => hasOne('webhooks WHERE url = ?', url),
        };
      },
    },
    {
      title: 'a change of a webhook',
      prepare: async (name) => {
        const { id, url } = await webhook(name);
        return {
          call: () => send('PATCH', `/tenantapi/webhooks/${id}`, { enabled: false }),
          isStored: () => hasOne('webhooks WHERE url = ? AND off_since IS NOT NULL', url),
        };
      },
    },
    {
      title: 'a new secret of a webhook',
      prepare: async (name) => {
        const { id, url } = await webhook(name);
        return {
          call: () => admin.post(`/tenantapi/webhooks/${id}/secret`, {}),
          isStored: () => hasOne('webhooks WHERE url = ? AND former_secret IS NOT NULL', url),
        };
      },
    },
    {
      title: 'the removal of a webhook',
      prepare: async (name) => {
        const { id, url } = await webhook(name);
        return {
          call: () => send('DELETE', `/tenantapi/webhooks/${id}`),
          isStored: () => hasNone('webhooks WHERE url = ?', url),
        };
      },
    },
    {
      title: 'a new invitation',
      prepare: (name) => ({
        call: () => invite(name),
        isStored: () => hasOne('invitations WHERE username = ?', Buffer.from(name)),
      }),
    },
    {
      title: 'the end of an invitation',
      prepare: async (name) => {
        const id = idOf(await invite(name));
        return {
          call: () => send('DELETE', `/userapi/invitations/${id}`),
          isStored: () =>
            hasOne('invitations WHERE username = ? AND ended_at IS NOT NULL', Buffer.from(name)),
        };
      },
    },
    {
      title: 'a new account',
      prepare: (name) => ({
        call: () =>
          accounts().create(
            changingCall(server, 'account.create'),
            name,
            { role: 'auditor' },
            'link',
          ),
        isStored: () => hasOne('console_accounts WHERE name = ?', name),
      }),
    },
    {
      title: 'a change of an account',
      prepare: async (name) => {
        await accounts().create(
          changingCall(server, 'account.create'),
          name,
          { role: 'auditor' },
          'link',
        );
        return {
          call: () =>
            accounts().change(changingCall(server, 'account.change'), name, { role: 'finance' }),
          isStored: () => hasOne("console_accounts WHERE name = ? AND role = 'finance'", name),
        };
      },
    },
    {
      title: 'the removal of an account',
      prepare: async (name) => {
        await accounts().create(
          changingCall(server, 'account.create'),
          name,
          { role: 'auditor' },
          'link',
        );
        return {
          call: () => accounts().remove(changingCall(server, 'account.remove'), name),
          isStored: () => hasNone('console_accounts WHERE name = ?', name),
        };
      },
    },
    {
      title: 'a new name of an own key',
      prepare: async (name) => {
        const owner = await keyOwner(name);
        const init = { method: 'PATCH', body: JSON.stringify({ deviceName: 'renamed' }) };
        return {
          call: () => own(owner, init),
          isStored: async () =>
            (await hasOneKey(name, "AND c.device_name = 'renamed'")) &&
            (await hasAuditRow('my-keys.rename', name)),
        };
      },
    },
    {
      title: 'the report of an own key',
      prepare: async (name) => {
        const { path, headers } = await keyOwner(name);
        const owner = { path: `${path}/report`, headers };
        return {
          call: () => own(owner, { method: 'POST', body: '{}' }),
          isStored: async () =>
            (await hasOneKey(name, "AND c.disabled_by LIKE '%reported%'")) &&
            (await hasAuditRow('my-keys.report', name)),
        };
      },
    },
    {
      title: 'the deletion of an own key',
      prepare: async (name) => {
        const owner = await keyOwner(name);
        return {
          call: () => own(owner, { method: 'DELETE' }),
          isStored: async () =>
            (await hasOneKey(name)) && (await hasAuditRow('my-keys.delete', name)),
        };
      },
    },
  ];

  itReportsWhatHappened(WRITES, () => proxy);
});
