import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { UserErasure } from '../../src/user-admin/manage-users/user-erasure.js';
import { AdminClient } from '../support/admin-client.js';
import { erasureCall } from '../support/changing-call.js';
import type { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { lostAnswers, rowChecks } from '../support/lost-answers.js';
import { describeWith } from '../support/needs.js';
import { settle } from '../support/settled-users.js';
import { startBehindProxy } from '../support/proxied-server.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const SEVERAL = 3;
const HERE = { relyingParty: 'localhost' };

describeWith('MariaDB')('changes of users whose answer from MariaDB is lost', () => {
  let stop: () => Promise<void>;
  let proxy: FaultyProxy;
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    ({ server, proxy, stop } = await startBehindProxy({ registration: 'ticket' }));
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => stop());

  const itStoresOnce = lostAnswers(() => proxy);
  const { hasOne, hasNone } = rowChecks(() => server);
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
  /** Whether each of n users, whose names begin alike, has one audit row. */
  const hasAuditRows = async (action: string, name: string, n = SEVERAL) => {
    const rows = `audit WHERE action = '${action}' AND result = 'ok' AND target LIKE ?`;
    return (await countOf(server, rows, Buffer.from(`${name}-%`))) === n;
  };
  /** The users whose names begin so. */
  const usersNamed = (name: string) =>
    ['users WHERE username LIKE ?', Buffer.from(`${name}%`)] as const;
  const change = (type: string, filter: string) =>
    admin.managePost({ type, filter, confirm: 'all' });
  const begin = (username: string, ticket: string) =>
    new FidoClient(server.url).beginRegistration(username, { ticket });

  itStoresOnce('disabling a user', async (name) => {
    await addUsers(name, 1);
    return {
      call: () => change('disableall', `${name}-0`),
      isStored: () => hasAuditRows('user.disable', name, 1),
    };
  });

  itStoresOnce('enabling a user', async (name) => {
    await addUsers(name, 1);
    await change('disableall', `${name}-0`);
    return {
      call: () => change('enableall', `${name}-0`),
      isStored: () => hasAuditRows('user.enable', name, 1),
    };
  });

  itStoresOnce('disabling several users', async (name) => {
    await addUsers(name);
    return {
      call: () => change('disableall', `${name}*`),
      isStored: () => hasAuditRows('user.disable', name),
    };
  });

  itStoresOnce('deleting several users', async (name) => {
    await addUsers(name);
    return {
      call: () => change('deluser', `${name}*`),
      isStored: async () =>
        (await hasAuditRows('user.delete', name)) && (await hasNone(...usersNamed(name))),
    };
  });

  itStoresOnce('deleting a list of users', async (name) => {
    const users = await addUsers(name);
    return {
      call: () => admin.post('/userapi/deletelistusers', { users }),
      isStored: async () =>
        (await hasAuditRows('user.delete', name)) && (await hasNone(...usersNamed(name))),
    };
  });

  itStoresOnce('renaming a user', async (name) => {
    await addUsers(name, 1);
    const change = { username: `${name}-0`, newUsername: `new-${name}` };
    return {
      call: () => admin.patch('/userapi/users', change),
      isStored: () => hasOne(...usersNamed(`new-${name}`)),
    };
  });

  itStoresOnce('erasing a user', async (name) => {
    await addUsers(name, 1);
    return {
      call: async () => {
        const erased = await server
          .get(UserErasure)
          .erase(here(), `${name}-0`, erasureCall(server));
        expect(erased).toMatchObject({ users: 1, credentials: 1 });
      },
      isStored: () => hasNone(...usersNamed(name)),
    };
  });

  itStoresOnce('beginning with a ticket', async (username) => {
    const { body } = await admin.post('/userapi/tickets', { username, ...HERE });
    return {
      call: () => begin(username, String(body['ticket'])),
      isStored: () => hasOne('tickets WHERE begun = 1 AND username = ?', Buffer.from(username)),
    };
  });

  itStoresOnce('beginning with an invitation', async (username) => {
    const { body } = await admin.post('/userapi/invitations', {
      username,
      ttl: 600,
      ...HERE,
    });
    const { code } = body as { code?: string };
    return {
      call: () => begin(username, String(code)),
      isStored: () => hasOne('invitations WHERE begun = 1 AND username = ?', Buffer.from(username)),
    };
  });

  itStoresOnce('a new signing key', async () => {
    const before = await countOf(server, 'signing_keys');
    return {
      call: () => server.get(SigningKeys).rotate(server.call),
      isStored: async () => (await countOf(server, 'signing_keys')) === before + 1,
    };
  });

  itStoresOnce('revoking a signing key', async () => {
    const keys = server.get(SigningKeys);
    await keys.rotate(server.call);
    const [kid = ''] = keys.jwks().keys.map((key) => key.kid);
    return {
      call: () => keys.revoke(server.call, kid),
      isStored: () => hasNone('signing_keys WHERE kid = ?', kid),
    };
  });
});
