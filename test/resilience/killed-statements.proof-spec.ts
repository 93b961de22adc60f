import { halfDoneIn } from '../support/crash/reconcile.js';
import { AdminClient } from '../support/admin-client.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { report } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { startBehindProxy } from '../support/proxied-server.js';
import { countOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

/** More messages than any of the calls sends to the database. */
const MAX_MESSAGES = 40;

/**
 * SQLite undoes a unit in one turn of the event loop; on a database server a process can end between any two messages.
 * For the server, a cut connection is the same as the end of the process.
 */
describeWith('MariaDB')('a process that ends between two messages to MariaDB', () => {
  let stop: () => Promise<void>;
  let databaseUrl: string;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    ({ server, proxy, databaseUrl, stop } = await startBehindProxy());
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => stop());

  const count = (fromClause: string, username: string) =>
    countOf(server, fromClause, Buffer.from(username));
  const events = (kind: string, username: string) =>
    count(`events WHERE kind = '${kind}' AND username = ?`, username);
  const rows = (action: string, username: string) =>
    count(`audit WHERE action = '${action}' AND result = 'ok' AND target = ?`, username);
  const registered = async (username: string) => {
    const client = new FidoClient(server.url);
    expect((await client.register(username)).status).toBe(200);
    return client;
  };

  /** For each call: its preparation, and two numbers that are both 0 or both 1 afterwards. */
  type Prepared = readonly [
    call: () => Promise<Answer>,
    done: () => Promise<readonly [number, number]>,
  ];
  it.each<[string, (username: string) => Promise<Prepared>]>([
    [
      'a registration',
      async (username) => {
        const client = new FidoClient(server.url);
        const made = client.create(await client.beginRegistration(username));
        return [
          () => client.completeRegistration(made),
          async () => [
            await count('users WHERE username = ?', username),
            await events('registration', username),
          ],
        ];
      },
    ],
    [
      'a sign-in',
      async (username) => {
        const client = await registered(username);
        const body = client.assert(await client.beginAuthentication(username));
        const used = `credentials c JOIN users u ON u.id = c.user_id
          WHERE c.sign_count = 2 AND u.username = ?`;
        return [
          () => client.completeAuthentication(body),
          async () => [await count(used, username), await events('authentication', username)],
        ];
      },
    ],
    [
      'disableall',
      async (username) => {
        await registered(username);
        return [
          () => admin.managePost({ type: 'disableall', filter: username }),
          async () => [await events('disabled', username), await rows('user.disable', username)],
        ];
      },
    ],
    [
      'deluser',
      async (username) => {
        await registered(username);
        return [
          () => admin.managePost({ type: 'deluser', filter: username }),
          async () => [await events('user-deleted', username), await rows('user.delete', username)],
        ];
      },
    ],
    [
      'a change of a user’s name',
      async (username) => {
        await registered(username);
        const newUsername = `${username} renamed`;
        return [
          () =>
            admin.send('/userapi/users', {
              method: 'PATCH',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ username, newUsername }),
            }),
          async () => [
            await count('users WHERE username = ?', newUsername),
            await rows('user.rename', username),
          ],
        ];
      },
    ],
    [
      'a new webhook',
      async (name) => {
        const host = `${name.replaceAll(' ', '-')}.example`;
        const webhook = { tenant: 'default', url: `https://${host}/`, events: ['registration'] };
        return [
          () => admin.post('/tenantapi/webhooks', webhook),
          async () => [
            await count('webhooks WHERE url = ?', webhook.url),
            await count("audit WHERE action = 'webhook.create' AND detail LIKE ?", `%${host}%`),
          ],
        ];
      },
    ],
    [
      'an adoption target',
      async (name) => {
        const share = Number(name.replace(/\D/g, '')) + 1;
        return [
          () =>
            admin.send('/userapi/adoption/targets/localhost', {
              method: 'PATCH',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ share, by: '2099-12-31' }),
            }),
          async () => [
            await count('adoption_targets WHERE share = ?', `${share}`),
            await count(
              "audit WHERE action = 'relying-party.change' AND result = 'ok' AND detail LIKE ?",
              `%after%share%:${share},%`,
            ),
          ],
        ];
      },
    ],
  ])(
    'stores %s as a whole or not at all when the process ends between two messages',
    async (what, prepare) => {
      let kills = 0;
      for (let messages = 0, isOver = false; !isOver; messages += 1) {
        expect(messages).toBeLessThan(MAX_MESSAGES);
        const [call, done] = await prepare(`${what} ${messages}`);
        proxy.dieAfter(messages);
        const { status } = await call();
        isOver = status < 300;
        proxy.revive();
        await eventually(async () => expect((await admin.get('/health/ready')).status).toBe(200));
        const [change, record] = await done();
        expect([messages, record]).toEqual([messages, change]);
        if (isOver) expect(change).toBe(1);
        else kills += 1;
        expect(await halfDoneIn(databaseUrl)).toEqual([]);
      }
      expect(kills).toBeGreaterThan(0);
      report({ rounds: kills });
    },
    120_000,
  );
});
