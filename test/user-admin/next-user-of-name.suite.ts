import { jest } from '@jest/globals';
import { shownId } from '../../src/user-admin/pages/page-frame.js';
import { UserRenaming } from '../../src/users/user-renaming.js';
import { UsersByName } from '../../src/users/users-by-name.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES } from '../support/databases.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const UNCHANGED = { enabled: 1, suspendedBy: null, groupName: null };

/** The form of a page names the user whom the page showed; the name may pass to another user at any time. */
describe.each(DATABASES)('a form of a user’s page whose name another user takes, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it.each([
    ['disable-all', '', { ...UNCHANGED, enabled: 0 }],
    ['delete-user', '', undefined],
    ['suspend', '/suspension', { ...UNCHANGED, suspendedBy: 1 }],
    ['erase', '/erasure', UNCHANGED],
    ['groups', '/groups', UNCHANGED],
  ])('changes only the user whom the page showed: %s', async (action, path, after) => {
    const name = `user-${action}`;
    const rp = relyingPartyOf(server, 'localhost');
    await settle(server, rp, [name]);
    const user = shownId(await server.get(UsersByName).find(rp, [name]));
    passOnAfterNextRead(name, `${name}-renamed`);
    const fields = { rp: 'localhost', name, user, action, confirm: name, groups: 'staff' };
    await sendForm(server, `/userapi/user${path}`, fields);
    const users = new Map(
      (await everyUser()).map(({ username, ...user }) => [username.toString(), user]),
    );
    expect(users.get(name)).toEqual(UNCHANGED);
    expect(users.get(`${name}-renamed`)).toEqual(after);
  });

  /** Renames the user of a name, and gives the name to a new user, once the next call has found the user. */
  function passOnAfterNextRead(name: string, newName: string): void {
    const rp = relyingPartyOf(server, 'localhost');
    const users = server.get(UsersByName);
    const find = users.find.bind(users);
    jest.spyOn(users, 'find').mockImplementationOnce(async (...asked) => {
      const found = await find(...asked);
      const by = { account: 'a', role: 'admin', address: '', requestId: 'r' } as const;
      const row = { ...by, action: 'user.rename', result: 'ok' } as const;
      const names = { username: newName, displayName: newName };
      expect(await server.get(UserRenaming).change(rp, name, names, () => row)).toMatchObject({
        outcome: 'changed',
      });
      await settle(server, rp, [name]);
      return found;
    });
  }

  const everyUser = () =>
    rowsOf<{
      username: Buffer;
      enabled: number;
      suspendedBy: number | null;
      groupName: Buffer | null;
    }>(
      server,
      `SELECT u.username, c.enabled, u.suspended_by AS suspendedBy, g.name AS groupName
       FROM users u JOIN credentials c ON c.user_id = u.id LEFT JOIN user_groups g ON g.user_id = u.id`,
    );
});
