import { rowsOf } from '../../support/rows.js';
import { describeWith } from '../../support/needs.js';
import { killedChanges, mean } from '../../support/crash/killed-changes.js';

describeWith('MariaDB')('a process that ends during a change of users', () => {
  const { itStores, server, admin, directory, count, events, rows, registered, setProfiles } =
    killedChanges();

  /** The notes that keys of a user are to be judged again. */
  const notes = (username: string) =>
    count('regrouped_users n JOIN users u ON u.id = n.user_id WHERE u.username = ?', username);

  itStores('disableall', 'manageUsers', async (username) => {
    await registered(username);
    return [
      () => admin().manage({ type: 'disableall', filter: username }),
      async () => [await events('disabled', username), await rows('user.disable', username)],
    ];
  });

  itStores('deluser', 'postManageUsers', async (username) => {
    await registered(username);
    return [
      () => admin().managePost({ type: 'deluser', filter: username }),
      async () => [await events('user-deleted', username), await rows('user.delete', username)],
    ];
  });

  itStores('a suspension', 'suspendUser', async (username) => {
    await registered(username);
    return [
      () => admin().post('/userapi/users/suspension', { username, suspended: true }),
      async () => [
        await count('users WHERE suspended_by IS NOT NULL AND username = ?', username),
        await rows('user.suspend', username),
      ],
    ];
  });

  itStores('a change of a user by a directory', 'SCIM', async (userName) => {
    const id = await directory().created({ userName });
    await registered(userName);
    const after = { userName: `${userName} renamed`, externalId: userName, active: false };
    return [
      () => directory().replace(id, after),
      async () => [
        mean(
          await count('users WHERE username = ?', after.userName),
          await count('users WHERE external_id = ?', userName),
          await events('user-suspended', userName),
        ),
        mean(await rows('user.rename', userName), await rows('user.suspend', userName)),
      ],
    ];
  });

  itStores('a group of a directory with a member', 'SCIM', async (userName) => {
    const value = await directory().created({ userName });
    await registered(userName);
    const displayName = `group of ${userName}`;
    return [
      () => directory().createGroup({ displayName, members: [{ value }] }),
      async () => [
        mean(
          await count('directory_groups WHERE name = ?', displayName),
          await count('user_groups WHERE name = ?', displayName),
          await events('user-groups-changed', userName),
        ),
        mean(await rows('group.create', displayName), await rows('user.groups', userName)),
      ],
    ];
  });

  itStores('a member that a directory adds to a group with a profile', 'SCIM', async (userName) => {
    const value = await directory().created({ userName });
    await registered(userName);
    const displayName = `directors ${userName}`;
    const { body } = await directory().createGroup({ displayName });
    await setProfiles('localhost', displayName);
    const add = { op: 'add', path: 'members', value: [{ value }] };
    return [
      () => directory().patchGroup(String(body['id']), add),
      async () => [
        mean(
          await count('user_groups WHERE name = ?', displayName),
          await notes(userName),
          await events('user-groups-changed', userName),
        ),
        await rows('user.groups', userName),
      ],
    ];
  });

  itStores('a decision about a finding', 'decideFinding', async (username) => {
    const client = await registered(username);
    await client.signIn(username);
    await client.signIn(username, { signCount: 1 });
    const ofUser = 'credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?';
    const [key] = await rowsOf<{ id: Buffer }>(
      server(),
      `SELECT c.credential_id AS id FROM ${ofUser}`,
      Buffer.from(username),
    );
    const subject = key?.id.toString('base64url');
    const decision = { kind: 'copied', subject, action: 'assign', assignee: 'admin' };
    return [
      () => admin().post('/userapi/findings/decision', decision),
      async () => [
        await count(
          `finding_decisions d JOIN ${ofUser} AND c.credential_hash = d.subject`,
          username,
        ),
        await rows('finding.decide', username),
      ],
    ];
  });

  itStores('the groups of a user', 'setGroups', async (username) => {
    await registered(username);
    await setProfiles('localhost', 'staff');
    return [
      () => admin().put('/userapi/users/groups', { username, groups: ['staff'] }),
      async () => [
        mean(
          await count(
            'user_groups g JOIN users u ON u.id = g.user_id WHERE u.username = ?',
            username,
          ),
          await notes(username),
        ),
        await rows('user.groups', username),
      ],
    ];
  });

  itStores('a change of a user’s name', 'changeNames', async (username) => {
    await registered(username);
    const newUsername = `${username} renamed`;
    return [
      () => admin().patch('/userapi/users', { username, newUsername }),
      async () => [
        await count('users WHERE username = ?', newUsername),
        await rows('user.rename', username),
      ],
    ];
  });
});
