import { SigningKeys } from '../../../src/fido/tokens/signing-keys.js';
import { changingCall } from '../../support/changing-call.js';
import { FidoClient } from '../../support/fido-client.js';
import { countOf } from '../../support/rows.js';
import { callerForOwnKey } from '../../support/own-key.js';
import { describeWith } from '../../support/needs.js';
import { killedChanges } from '../../support/crash/killed-changes.js';

const KEYS_OF_USER = 'credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?';
/** Those that are disabled, with the finding and the event. */
const REPORTED_KEYS_OF_USER = `${KEYS_OF_USER} AND c.enabled = 0
  AND EXISTS (SELECT 1 FROM findings f WHERE f.id = c.id AND f.rule = 'reported')
  AND EXISTS (SELECT 1 FROM events e WHERE e.user_id = u.id AND e.kind = 'key-reported')`;

describeWith('MariaDB')('a process that ends during a ceremony', () => {
  const {
    itStores,
    server,
    admin,
    count,
    events,
    rows,
    invited,
    registered,
    remove,
    invite,
    sendForm,
  } = killedChanges();

  itStores('a registration', 'completeRegistration', async (username) => {
    const client = new FidoClient(server().url);
    const made = client.create(await client.beginRegistration(username));
    return [
      () => client.completeRegistration(made),
      async () => [
        await count('users WHERE username = ?', username),
        await events('registration', username),
      ],
    ];
  });

  itStores('a sign-in', 'completeAuthentication', async (username) => {
    const client = await registered(username);
    const body = client.assert(await client.beginAuthentication(username));
    const used = `credentials c JOIN users u ON u.id = c.user_id
          WHERE c.sign_count = 2 AND u.username = ?`;
    return [
      () => client.completeAuthentication(body),
      async () => [await count(used, username), await events('authentication', username)],
    ];
  });

  itStores('a new name of one’s own key', 'renameMyKey', async (name) => {
    const send = await callerForOwnKey(server().url, name);
    return [
      () => send('PATCH', { deviceName: 'Renamed' }),
      async () => [
        await count(`${KEYS_OF_USER} AND c.device_name = 'Renamed'`, name),
        await rows('my-keys.rename', name),
      ],
    ];
  });

  itStores('one’s own deleted key', 'deleteMyKey', async (name) => {
    const send = await callerForOwnKey(server().url, name);
    return [
      () => send('DELETE'),
      async () => [2 - (await count(KEYS_OF_USER, name)), await rows('my-keys.delete', name)],
    ];
  });

  itStores('one’s own reported key', 'reportMyKey', async (name) => {
    const send = await callerForOwnKey(server().url, name);
    return [
      () => send('POST'),
      async () => [await count(REPORTED_KEYS_OF_USER, name), await rows('my-keys.report', name)],
    ];
  });

  itStores('a ticket', 'issueTicket', async (username) => [
    () => admin().post('/userapi/tickets', { relyingParty: 'localhost', username }),
    async () => [
      await count('tickets WHERE username = ?', username),
      await rows('ticket.issue', username),
    ],
  ]);

  itStores('the end of a ticket', 'revokeTicket', async (username) => {
    await admin().post('/userapi/tickets', { relyingParty: 'localhost', username });
    const { body } = await admin().get(
      `/userapi/tickets?${new URLSearchParams({ username }).toString()}`,
    );
    const [{ id }] = body['tickets'] as [{ id: string }];
    return [
      () => remove(`/userapi/tickets/${id}`),
      async () => [
        1 - (await count('tickets WHERE username = ?', username)),
        await rows('ticket.revoke', username),
      ],
    ];
  });

  itStores('an invitation', 'issueInvitation', async (username) => [
    () => admin().post('/userapi/invitations', { relyingParty: 'localhost', username }),
    async () => [await invited(username), await rows('invitation.issue', username)],
  ]);

  itStores('a key of an invitation', 'completeRegistration', async (username) => {
    const { code } = await invite(username);
    const client = new FidoClient(server().url);
    const made = client.create(await client.beginRegistration(username, { ticket: code }));
    return [
      () => client.completeRegistration(made),
      async () => [
        await count('users WHERE username = ?', username),
        await rows('invitation.key', username),
      ],
    ];
  });

  itStores('the end of an invitation', 'revokeInvitation', async (username) => {
    const { id } = await invite(username);
    return [
      () => remove(`/userapi/invitations/${id}`),
      async () => [await invited(username, '> 0'), await rows('invitation.revoke', username)],
    ];
  });

  itStores('the end of a user’s two invitations', 'a form', async (name) => {
    await invite(name);
    await invite(name);
    return [
      () => sendForm('/userapi/user/invitations/withdraw-all', { rp: 'localhost', name }),
      async () => [(await invited(name, '> 0')) / 2, await rows('invitation.revoke', name)],
    ];
  });

  itStores('a list of two invitations', 'a form', async (name) => {
    const first = `${name} first`;
    const second = `${name} second`;
    const fields = { rp: 'localhost', hours: '24', users: `${first}\n${second}` };
    const sum = async (of: (username: string) => Promise<number>) =>
      (await of(first)) + (await of(second));
    return [
      () => sendForm('/userapi/user/invitations/list', fields),
      async () => [
        (await sum(invited)) / 2,
        (await sum((username) => rows('invitation.issue', username))) / 2,
      ],
    ];
  });

  itStores('the end of the only signing key', 'a command', async () => {
    const keys = server().get(SigningKeys);
    // Reads the keys again: the last call may have replaced the key although it failed.
    await keys.findNow('none');
    const { kid } = keys.current;
    const call = changingCall(server(), 'signing-key.revoke');
    return [
      () =>
        keys.revoke(call, kid).then(
          () => ({ status: 200 }),
          () => ({ status: 503 }),
        ),
      async () => {
        expect(await countOf(server(), 'signing_keys')).toBe(1);
        return [
          1 - (await count('signing_keys WHERE kid = ?', kid)),
          await rows('signing-key.revoke', kid),
        ];
      },
    ];
  });
});
