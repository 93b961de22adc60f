import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { UserErasure } from '../../src/user-admin/manage-users/user-erasure.js';
import { AdminClient } from '../support/admin-client.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { itReportsWhatHappened, type LostWrite } from '../support/lost-answers.js';
import { describeWith } from '../support/needs.js';
import { settle } from '../support/people.js';
import { startBehindProxy } from '../support/proxied-server.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const SEVERAL = 3;
const HERE = { relyingParty: 'localhost' };
const OPERATOR = { account: 'cli', role: 'admin', address: '', requestId: 'r' } as const;

describeWith('MariaDB')('a change of users whose answer is lost (FL13)', () => {
  let stop: () => Promise<void>;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    ({ server, proxy, stop } = await startBehindProxy({ registration: 'ticket' }));
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => stop());

  const count = (what: string, ...params: (string | Buffer)[]) => countOf(server, what, ...params);
  const here = () => relyingPartyOf(server, 'localhost');
  const addUsers = async (name: string, n = SEVERAL) => {
    const names = Array.from({ length: n }, (_, i) => `${name}-${i}`);
    await settle(
      server,
      here(),
      names.map((username) => ({ username })),
    );
    return names;
  };
  /** 1 where each of the users, whose names begin alike, has one audit row. */
  const notedOnce = async (action: string, name: string, n = SEVERAL) => {
    const rows = `audit WHERE action = '${action}' AND result = 'ok' AND target LIKE ?`;
    return Number((await count(rows, Buffer.from(`${name}-%`))) === n);
  };
  const usersLeft = (name: string) => count('users WHERE username LIKE ?', Buffer.from(`${name}%`));
  const change = (type: string, filter: string) =>
    admin.managePost({ type, filter, confirm: 'all' });
  const begin = (username: string, ticket: string) =>
    new FidoClient(server.url).beginRegistration(username, { ticket });

  const WRITES: LostWrite[] = [
    [
      'disabling a user',
      async (name) => {
        await addUsers(name, 1);
        return [() => change('disableall', `${name}-0`), () => notedOnce('user.disable', name, 1)];
      },
    ],
    [
      'enabling a user',
      async (name) => {
        await addUsers(name, 1);
        await change('disableall', `${name}-0`);
        return [() => change('enableall', `${name}-0`), () => notedOnce('user.enable', name, 1)];
      },
    ],
    [
      'disabling several users',
      async (name) => {
        await addUsers(name);
        return [() => change('disableall', `${name}*`), () => notedOnce('user.disable', name)];
      },
    ],
    [
      'deleting several users',
      async (name) => {
        await addUsers(name);
        return [
          () => change('deluser', `${name}*`),
          async () => (await notedOnce('user.delete', name)) - (await usersLeft(name)),
        ];
      },
    ],
    [
      'deleting a list of users',
      async (name) => {
        const users = await addUsers(name);
        return [
          () => admin.post('/userapi/deletelistusers', { users }),
          async () => (await notedOnce('user.delete', name)) - (await usersLeft(name)),
        ];
      },
    ],
    [
      'renaming a user',
      async (name) => {
        await addUsers(name, 1);
        const body = JSON.stringify({ username: `${name}-0`, newUsername: `new-${name}` });
        const headers = { 'content-type': 'application/json' };
        return [
          () => admin.send('/userapi/users', { method: 'PATCH', headers, body }),
          () => usersLeft(`new-${name}`),
        ];
      },
    ],
    [
      'erasing a user',
      async (name) => {
        await addUsers(name, 1);
        return [
          async () => {
            const erased = await server.get(UserErasure).erase(here(), `${name}-0`, OPERATOR);
            expect(erased).toMatchObject({ users: 1, credentials: 1 });
          },
          async () => 1 - (await usersLeft(name)),
        ];
      },
    ],
    [
      'beginning with a ticket',
      async (username) => {
        const { body } = await admin.post('/userapi/tickets', { username, ...HERE });
        return [
          () => begin(username, String(body['ticket'])),
          () => count('tickets WHERE begun = 1 AND username = ?', Buffer.from(username)),
        ];
      },
    ],
    [
      'beginning with an invitation',
      async (username) => {
        const { body } = await admin.post('/userapi/invitations', { username, ttl: 600, ...HERE });
        const { code } = body as { code?: string };
        return [
          () => begin(username, String(code)),
          () => count('invitations WHERE begun = 1 AND username = ?', Buffer.from(username)),
        ];
      },
    ],
    [
      'a new signing key',
      async () => {
        const before = await count('signing_keys');
        return [
          () => server.get(SigningKeys).create(),
          async () => (await count('signing_keys')) - before,
        ];
      },
    ],
    [
      'revoking a signing key',
      async () => {
        const keys = server.get(SigningKeys);
        await keys.create();
        const [kid = ''] = keys.jwks().keys.map((key) => key.kid);
        return [
          async () => expect(await keys.revoke(kid)).toBe(true),
          async () => 1 - (await count('signing_keys WHERE kid = ?', kid)),
        ];
      },
    ],
  ];

  itReportsWhatHappened(WRITES, () => proxy);
});
