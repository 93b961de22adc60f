import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { changingCall } from '../support/changing-call.js';
import type { Answer } from '../support/client.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { lostAnswers, rowChecks } from '../support/lost-answers.js';
import { describeWith } from '../support/needs.js';
import { callerForOwnKey } from '../support/own-key.js';
import { startBehindProxy } from '../support/proxied-server.js';
import type { TestServer } from '../support/test-server.js';

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

  const itStoresOnce = lostAnswers(() => proxy);
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
  const invite = (username: string) =>
    admin.post('/userapi/invitations', { username, ttl: 600, relyingParty: 'localhost' });
  const idOf = ({ body }: Answer) => String((body['invitation'] as { id: string }).id);
  itStoresOnce('a new webhook', (name) => {
    const url = `https://receiver.example/${name}`;
    return {
      call: () => addWebhook(url),
      isStored: () => hasOne('webhooks WHERE url = ?', url),
    };
  });

  itStoresOnce('a change of a webhook', async (name) => {
    const { id, url } = await webhook(name);
    return {
      call: () => send('PATCH', `/tenantapi/webhooks/${id}`, { enabled: false }),
      isStored: () => hasOne('webhooks WHERE url = ? AND off_since IS NOT NULL', url),
    };
  });

  itStoresOnce('a new secret of a webhook', async (name) => {
    const { id, url } = await webhook(name);
    return {
      call: () => admin.post(`/tenantapi/webhooks/${id}/secret`, {}),
      isStored: () => hasOne('webhooks WHERE url = ? AND former_secret IS NOT NULL', url),
    };
  });

  itStoresOnce('the removal of a webhook', async (name) => {
    const { id, url } = await webhook(name);
    return {
      call: () => send('DELETE', `/tenantapi/webhooks/${id}`),
      isStored: () => hasNone('webhooks WHERE url = ?', url),
    };
  });

  itStoresOnce('a new invitation', (name) => ({
    call: () => invite(name),
    isStored: () => hasOne('invitations WHERE username = ?', Buffer.from(name)),
  }));

  itStoresOnce('the end of an invitation', async (name) => {
    const id = idOf(await invite(name));
    return {
      call: () => send('DELETE', `/userapi/invitations/${id}`),
      isStored: () =>
        hasOne('invitations WHERE username = ? AND ended_at IS NOT NULL', Buffer.from(name)),
    };
  });

  itStoresOnce('a new account', (name) => ({
    call: () =>
      accounts().create(changingCall(server, 'account.create'), name, { role: 'auditor' }, 'link'),
    isStored: () => hasOne('console_accounts WHERE name = ?', name),
  }));

  itStoresOnce('a change of an account', async (name) => {
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
  });

  itStoresOnce('the removal of an account', async (name) => {
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
  });

  itStoresOnce('a new name of an own key', async (name) => {
    const send = await callerForOwnKey(server.url, name);
    return {
      call: () => send('PATCH', { deviceName: 'renamed' }),
      isStored: async () =>
        (await hasOneKey(name, "AND c.device_name = 'renamed'")) &&
        (await hasAuditRow('my-keys.rename', name)),
    };
  });

  itStoresOnce('the report of an own key', async (name) => {
    const send = await callerForOwnKey(server.url, name);
    return {
      call: () => send('POST'),
      isStored: async () =>
        (await hasOneKey(name, "AND c.disabled_by LIKE '%reported%'")) &&
        (await hasAuditRow('my-keys.report', name)),
    };
  });

  itStoresOnce('the deletion of an own key', async (name) => {
    const send = await callerForOwnKey(server.url, name);
    return {
      call: () => send('DELETE'),
      isStored: async () => (await hasOneKey(name)) && (await hasAuditRow('my-keys.delete', name)),
    };
  });

  async function webhook(name: string) {
    const url = `https://receiver.example/${name}`;
    const { body } = await addWebhook(url);
    return { url, id: String((body['webhook'] as { id: string }).id) };
  }

  function hasOneKey(username: string, more = '') {
    return hasOne(
      `credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ? ${more}`,
      Buffer.from(username),
    );
  }
});
