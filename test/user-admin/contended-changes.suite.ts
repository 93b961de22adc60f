import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { UserChanges } from '../../src/users/user-changes.js';
import { UserNames } from '../../src/users/user-names.js';
import { UsersByName } from '../../src/users/users-by-name.js';
import { UserErasure } from '../../src/user-admin/manage-users/user-erasure.js';
import { AdminClient } from '../support/admin-client.js';
import { bearer } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const NEVER = { sql: 'DELETE FROM users WHERE 1 = 0', params: [], guard: true };

describe.each(DATABASES)('a change beside others, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('E0052R if the others are faster each time', async () => {
    await new FidoClient(server.url).register('anna');
    const rp = relyingPartyOf(server, 'localhost');
    const [anna] = await server.get(UsersByName).find(rp, ['anna']);
    if (!anna) throw new Error('There is no user.');
    const before = await server.snapshot();
    const occasion = { requestId: 'r', along: () => [NEVER] };
    for (const change of ['delete-user', 'delete', 'disable'] as const) {
      const changed = server.get(UserChanges).apply(change, anna, occasion);
      await expect(changed).rejects.toMatchObject({ code: 'E0052R' });
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('E0052R if the user to be erased gets another name and a key meanwhile', async () => {
    await new FidoClient(server.url).register('berta');
    const rp = relyingPartyOf(server, 'localhost');
    const by = { account: 'a', role: 'admin', address: '', requestId: 'r' } as const;
    const users = server.get(UsersByName);
    const find = users.find.bind(users);
    jest.spyOn(users, 'find').mockImplementationOnce(async (...asked) => {
      const found = await find(...asked);
      await new FidoClient(server.url).register('berta');
      const names = { username: 'berta.b', displayName: 'Berta' };
      const row = { ...by, action: 'user.rename', result: 'ok' } as const;
      const renamed = await server.get(UserNames).change(rp, 'berta', names, () => row);
      expect(renamed).toMatchObject({ outcome: 'changed' });
      return found;
    });
    const erasure = server.get(UserErasure);
    await expect(erasure.erase(rp, 'berta', by)).rejects.toMatchObject({ code: 'E0052R' });
    expect(await erasure.erase(rp, 'berta.b', by)).toMatchObject({ users: 1, credentials: 2 });
  });
});

/** SQLite lets a statement pass over rows: as if somebody had changed them just before, each time. */
describe('a user who is changed all the time', () => {
  let server: TestServer;
  let admin: AdminClient;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = new AdminClient(server.url, 'localhost');
    client = new FidoClient(server.url);
    await client.register('anna');
    await new FidoClient(server.url).register('anna');
    for (const what of [
      'DELETE ON users',
      'DELETE ON credentials',
      'UPDATE OF enabled ON credentials',
    ]) {
      const name = what.replaceAll(' ', '_');
      const sql = `CREATE TRIGGER ${name} BEFORE ${what} BEGIN SELECT RAISE(IGNORE); END`;
      await server.get(DataSource).query(sql);
    }
  });
  afterAll(() => server.stop());

  it.each(['disableall', 'deluser'])('is not skipped by %s', async (type) => {
    expectRefusal(await admin.managePost({ type, filter: 'anna' }), 'E0052R', 503);
  });

  it('is not reported as missing when a list is deleted', async () => {
    expectRefusal(await admin.post('/userapi/deletelistusers', { users: ['anna'] }), 'E0052R', 503);
  });

  it('is not erased partially', async () => {
    const by = { account: 'a', role: 'admin', address: '', requestId: 'r' } as const;
    const before = await server.snapshot();
    const erased = server.get(UserErasure).erase(relyingPartyOf(server, 'localhost'), 'anna', by);
    await expect(erased).rejects.toMatchObject({ code: 'E0052R' });
    expect(await server.snapshot()).toBe(before);
  });

  it('gets no refusal about the last key while there is another', async () => {
    const token = bearer(String((await client.signIn('anna')).body['token']));
    const id = String(client.authenticator.credentials[0]?.id.toString('base64url'));
    const init = { method: 'DELETE', headers: token };
    expectRefusal(await client.send(`/fidoapi/keys/${id}`, init), 'E0052R', 503);
  });
});
