import { jest } from '@jest/globals';
import { KeyOwner } from '../../src/fido/my-keys/key-owner.js';
import { bearer, issueKey, keyClient } from '../support/application-keys.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const KEYS = '/fidoapi/keys';

interface Listed {
  readonly credentialId: string;
  readonly deviceName: string;
  readonly label: string;
  readonly current: boolean;
}

interface Signalled {
  readonly rpId: string;
  readonly name: string;
  readonly displayName: string;
  readonly allAcceptedCredentialIds: string[];
}

describe.each(DATABASES)('own keys on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  const at = (relyingParty = 'localhost') => new FidoClient(server.url, { relyingParty });
  const list = (headers: Record<string, string>, query = '') => at().get(KEYS + query, headers);

  it('the list of own keys shows names, last use and the key that signed in', async () => {
    const { token, ids } = await newUser('anna', 'Phone', 'Drawer');
    const { status, body } = await list(token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ username: 'anna', displayName: 'anna' });
    expect(body['keys']).toEqual([
      expect.objectContaining({
        credentialId: ids[0],
        deviceName: 'Phone',
        lastUsedAt: expect.any(String) as string,
        enabled: true,
        current: true,
        backedUp: false,
      }),
      expect.objectContaining({ credentialId: ids[1], lastUsedAt: null, current: false }),
    ]);
  });

  it('the list of own keys has labels in the reader’s language, which a new name replaces', async () => {
    const clients = [['internal'], ['usb', 'nfc'], ['usb']].map(
      (transports) =>
        new FidoClient(server.url, { authenticator: new SoftAuthenticator({ transports }) }),
    );
    for (const client of clients) expect((await client.register('lia')).status).toBe(200);
    const [device] = clients as [FidoClient];
    const token = bearer(String((await device.signIn('lia')).body['token']));
    const labels = async (more: Record<string, string> = {}) =>
      (await listed({ ...token, ...more })).map(({ label }) => label);
    const stored = (await listed(token)).map(({ deviceName }) => deviceName);
    expect(stored).toEqual(['Security key', 'Security key (2)', 'Security key (3)']);
    const [, second, third] = ['This device', 'USB security key (2)', 'USB security key (3)'];
    expect(await labels()).toEqual(['This device', second, third]);
    expect(await labels({ 'accept-language': 'de' })).toEqual([
      'Dieses Gerät',
      'USB-Sicherheitsschlüssel (2)',
      'USB-Sicherheitsschlüssel (3)',
    ]);
    const id = (await listed(token))[1]?.credentialId ?? '';
    const { body } = await rename(id, 'Blue', token);
    expect(body['key']).toMatchObject({ deviceName: 'Blue', label: 'Blue' });
    expect(await labels()).toEqual(['This device', 'Blue', 'USB security key']);
  });

  it('the signals after a change of own keys include disabled keys and exclude deleted ones', async () => {
    const { token, ids, clients } = await newUser('sia', 'Phone', 'Drawer', 'Old');
    await disableCredentials(server, (clients[1] as FidoClient).authenticator);
    const signalled = ({ body }: Answer) => {
      const { rpId, name, displayName, allAcceptedCredentialIds } = body['signals'] as Signalled;
      return { rpId, name, displayName, ids: allAcceptedCredentialIds.toSorted() };
    };
    const names = { rpId: 'localhost', name: 'sia', displayName: 'sia' };
    const [phone, drawer, old] = ids as string[];
    expect(signalled(await rename(ids[0], 'Blue', token))).toEqual({
      ...names,
      ids: [...ids].sort(),
    });
    const left = signalled(await remove(old ?? '', token));
    expect(left).toEqual({ ...names, ids: [phone, drawer].sort() });
  });

  it('refuses to list or delete own keys without a valid token of this relying party (E0042R)', async () => {
    const { token, ids } = await newUser('bea', 'Phone');
    for (const headers of [{}, bearer('nonsense'), { authorization: 'Basic YTpi' }]) {
      for (const answer of [await list(headers), await remove(ids[0], headers)]) {
        expectRefusal(answer, 'E0042R', 401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
    expectRefusal(await at('acme.example').get(KEYS, token), 'E0042R', 401);
    server.clock.advance(361_000);
    expectRefusal(await list(token), 'E0042R', 401);
  });

  it('a token is valid within five seconds of clock skew; a refusal reports both times (E0042R)', async () => {
    server.clock.standAt(Date.now());
    const { token } = await newUser('clara', 'Phone');
    server.clock.advance(-4000);
    expect((await list(token)).status).toBe(200);
    server.clock.advance(-6000);
    const early = await list(token);
    expectRefusal(early, 'E0042R', 401);
    expect(early.body).toMatchObject({ reason: 'token.early' });
    server.clock.advance(10_000 + 300_000);
    expect((await list(token)).status).toBe(200);
    server.clock.advance(7000);
    const late = await list(token);
    expectRefusal(late, 'E0042R', 401);
    expect(late.body).toMatchObject({ reason: 'token.expired' });
    for (const { body } of [early, late]) {
      expect(body.errorMessage).toMatch(/ \d{4}-\d\d-\d\dT[\d:]{8}Z.* \d{4}-\d\d-\d\dT[\d:]{8}Z/);
    }
    server.clock.goOn();
  });

  it('a single key is returned only to its user (E0033R, E0042R)', async () => {
    const own = await newUser('nora', 'Phone');
    const other = await newUser('nils', 'Phone');
    const show = (id: string, headers: Record<string, string>, query = '') =>
      at().get(`${KEYS}/${id}${query}`, headers);
    const { status, body } = await show(own.ids[0], own.token);
    expect([status, body['key']]).toEqual([200, (await listed(own.token))[0]]);
    expectRefusal(await show(other.ids[0], own.token), 'E0033R', 404);
    expectRefusal(await show(own.ids[0], {}), 'E0042R', 401);
  });

  it('a user can rename an own key, but not to an invalid name (E0001R)', async () => {
    const { token, ids } = await newUser('cleo', 'Phone', 'Drawer');
    const { status, body } = await rename(ids[1], 'Blue, in the drawer', token);
    expect(status).toBe(200);
    expect(body['key']).toMatchObject({ deviceName: 'Blue, in the drawer', current: false });
    const names = (await listed(token)).map(({ deviceName }) => deviceName);
    expect(names).toEqual(['Phone', 'Blue, in the drawer']);
    for (const name of ['', ' x', 'a\u0000', 7, undefined]) {
      expectRefusal(await rename(ids[1], name, token), 'E0001R');
    }
  });

  it('a key renamed to the name of another own key receives a number, so that a call for one device deletes one', async () => {
    const { token, ids } = await newUser('rita', 'Phone', 'Drawer', 'Cellar');
    const [phone = '', drawer = '', cellar = ''] = ids;
    for (const [id, name, stored] of [
      [drawer, 'Phone', 'Phone (2)'],
      [drawer, 'Phone (2)', 'Phone (2)'],
      [phone, 'Phone', 'Phone'],
      [cellar, 'Phone (2)', 'Phone (2) (2)'],
    ] as const) {
      const { status, body } = await rename(id, name, token);
      expect([status, body['key']]).toMatchObject([200, { deviceName: stored }]);
    }
    const admin = new AdminClient(server.url, 'localhost');
    const one = { type: 'deldevice', filter: 'rita', device: 'Phone (2)' };
    expect((await admin.manage(one)).body).toMatchObject({ credentials: 1 });
    expect(await namesOf(token)).toEqual(['Phone', 'Phone (2) (2)']);
  });

  it('keys that are renamed and registered under one name at the same time receive different names', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `rolf-${round}`;
      const { token, ids } = await newUser(name, 'Phone', 'Drawer');
      const answers = await Promise.all([
        ...ids.map((id) => rename(id, 'Blue', token)),
        at().register(name, { keypair: { name: 'Blue' } }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await namesOf(token)).toSorted()).toEqual(['Blue', 'Blue (2)', 'Blue (3)']);
    }
  });

  it('a key that was deleted in the meantime is not reported as renamed (E0033R)', async () => {
    const { token, ids } = await newUser('irma', 'Phone', 'Drawer');
    const owner = server.get(KeyOwner);
    const find = owner.changer.bind(owner);
    jest.spyOn(owner, 'changer').mockImplementationOnce(async (...call) => {
      const found = await find(...call);
      const key = Buffer.from(ids[1], 'base64url');
      await rowsOf(server, 'DELETE FROM credentials WHERE credential_id = ?', key);
      return found;
    });
    expectRefusal(await rename(ids[1], 'Cellar', token), 'E0033R', 404);
    const renamed = "audit WHERE action = 'my-keys.rename' AND result = 'ok' AND target = ?";
    expect(await countOf(server, renamed, Buffer.from('irma'))).toBe(0);
  });

  it.each([
    ['rename', 1],
    ['delete', 1],
    ['rename', 0],
    ['delete', 0],
  ] as const)(
    'a thief whose key is disabled at the same moment cannot %s key %i of the user (E0043R)',
    async (change, n) => {
      const name = `thief-${change}-${n}`;
      const { first, token, ids } = await newUser(name, 'Phone', 'Drawer');
      const before = (await listed(token)).map(({ deviceName }) => deviceName);
      const owner = server.get(KeyOwner);
      const find = owner.changer.bind(owner);
      jest.spyOn(owner, 'changer').mockImplementationOnce(async (...call) => {
        const found = await find(...call);
        await disableCredentials(server, first.authenticator);
        return found;
      });
      const id = String(ids[n]);
      const answer = await (change === 'rename' ? rename(id, 'Mine', token) : remove(id, token));
      expectRefusal(answer, 'E0043R');
      const [user] = await new AdminClient(server.url, 'localhost').list(name);
      expect(user?.credentials.map(({ deviceName }) => deviceName)).toEqual(before);
      const done = "audit WHERE action LIKE 'my-keys.%' AND result = 'ok' AND target = ?";
      expect(await countOf(server, done, Buffer.from(name))).toBe(0);
    },
  );

  it('a user who is suspended at the same moment keeps the keys and their names (E0043R)', async () => {
    const admin = new AdminClient(server.url, 'localhost');
    const { token, ids } = await newUser('sina', 'Phone', 'Drawer');
    const owner = server.get(KeyOwner);
    const find = owner.changer.bind(owner);
    const suspend = (suspended: boolean) =>
      admin.post('/userapi/users/suspension', { username: 'sina', suspended });
    for (const change of [() => rename(ids[0], 'Mine', token), () => remove(ids[0], token)]) {
      jest.spyOn(owner, 'changer').mockImplementationOnce(async (...call) => {
        const found = await find(...call);
        await suspend(true);
        return found;
      });
      expectRefusal(await change(), 'E0043R');
      await suspend(false);
    }
    const [user] = await admin.list('sina');
    expect(user?.credentials.map(({ deviceName }) => deviceName)).toEqual(['Phone', 'Drawer']);
  });

  it('an unverified or stale token, or one of a disabled key, cannot change own keys (E0043R)', async () => {
    const { first, clients, ids } = await newUser('dora', 'Phone', 'Drawer');
    const tokenOf = (answer: Answer) => bearer(String(answer.body['token']));
    const weak = tokenOf(await first.signIn('dora', { flags: (flags) => flags & ~FLAGS.UV }));
    expectRefusal(await rename(ids[1], 'x', weak), 'E0043R');
    expectRefusal(await remove(ids[1], weak), 'E0043R');
    expect((await list(weak)).status).toBe(200);

    // Two seconds are left between the two refusals.
    server.clock.standAt(Date.now());
    const stale = tokenOf(await first.signIn('dora'));
    server.clock.advance(302_000);
    expectRefusal(await remove(ids[1], stale), 'E0043R');
    server.clock.advance(4000);
    expectRefusal(await remove(ids[1], stale), 'E0042R', 401);
    server.clock.goOn();

    const lost = tokenOf(await first.signIn('dora'));
    await disableCredentials(server, first.authenticator);
    expectRefusal(await remove(ids[1], lost), 'E0043R');
    const kept = tokenOf((await clients[1]?.signIn('dora')) as Answer);
    expectRefusal(await remove(ids[0], kept), 'E0034R');
  });

  it('a user cannot rename or delete another user’s key or an unknown key (E0033R)', async () => {
    const { token } = await newUser('emma', 'Phone', 'Drawer');
    const other = await newUser('fran', 'Phone', 'Drawer');
    const before = await server.snapshot();
    for (const id of [other.ids[0], 'AAAA', '%20']) {
      expectRefusal(await rename(id, 'x', token), 'E0033R');
      expectRefusal(await remove(id, token, '?confirm=last'), 'E0033R');
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('a user can delete own keys, the last one only with "confirm=last" (E0045R)', async () => {
    const { token, ids, first } = await newUser('gina', 'Phone', 'Drawer');
    const deleted = await remove(ids[1], token);
    expect(deleted).toMatchObject({ status: 200, body: { credentialId: ids[1], left: 1 } });
    expectRefusal(await remove(ids[1], token), 'E0033R');
    expectRefusal(await remove(ids[0], token), 'E0045R', 400);
    expectRefusal(await remove(ids[0], token, '?confirm=yes'), 'E0045R', 400);
    expect((await first.signIn('gina')).status).toBe(200);
    expect((await remove(ids[0], token, '?confirm=last')).body).toMatchObject({ left: 0 });
    expect((await first.beginAuthentication('gina')).status).toBe(403);
    expectRefusal(await remove(ids[0], token, '?confirm=last'), 'E0043R');
    const rows = await rowsOf<{ action: string; account: Buffer; target: Buffer }>(
      server,
      "SELECT action, account, target FROM audit WHERE action LIKE 'my-keys.%' ORDER BY seq",
    );
    const own = rows.filter(({ target }) => target.toString() === 'gina');
    expect(own.map(({ action }) => action)).toEqual(['my-keys.delete', 'my-keys.delete']);
    expect(own[0]?.account.toString()).toBe('user');
  });

  it('a key that a rule refuses does not count: the other one is the last (E0045R)', async () => {
    const { token, ids } = await newUser('gustav', 'Phone');
    const synced = new SoftAuthenticator({ backupEligible: true });
    const other = await FidoClient.registered(server.url, 'gustav', { authenticator: synced });
    const setPolicy = async (policy: object) => {
      const path = '/tenantapi/tenants/default/relying-parties/localhost';
      expect((await adminClient(server.url).patch(path, { policy })).status).toBe(200);
      await evaluateKeys(server);
    };
    await setPolicy({ backupEligible: 'refused', onFinding: 'refuse-next-sign-in' });
    try {
      expectRefusal(await other.signIn('gustav'), 'E0031R');
      expectRefusal(await remove(ids[0], token), 'E0045R', 400);
      expect((await remove(other.keyId, token)).body).toMatchObject({ left: 1 });
    } finally {
      await setPolicy({});
    }
  });

  it.each([
    { method: 'DELETE', more: '?confirm=last&dryRun=yes', username: 'dry-dora' },
    { method: 'PATCH', more: '?dryRun=yes', username: 'dry-emil' },
    { method: 'PATCH', more: '', extra: { dryRun: true }, username: 'dry-fritz' },
    { method: 'POST', more: '/report?dry-run=yes', username: 'dry-gesa' },
  ])('$method of an own key with "$more" refuses a dry run (E0045R)', async (call) => {
    const { method, more, extra, username } = call;
    const { token, ids } = await newUser(username, 'Only');
    const before = await server.snapshot();
    const answer = await at().sendJson(method, `${KEYS}/${ids[0]}${more}`, {
      headers: token,
      body: { deviceName: 'Blue', ...extra },
    });
    expectRefusal(answer, 'E0045R');
    expect(answer.body['reason']).toBe('parameters.noDryRun');
    expect(await server.snapshot()).toBe(before);
  });

  it('only one of two simultaneous calls that delete the last two keys of a user succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `hanna-${round}`;
      const { token, ids } = await newUser(name, 'Phone', 'Drawer');
      const answers = await Promise.all(ids.map((id) => remove(id, token)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      // The last one; or the key of the sign-in is gone.
      const codes = answers.map(({ body }) => body['errorCode']);
      expect(codes).toContainEqual(expect.stringMatching(/^E004[35]R$/));
      const [user] = await new AdminClient(server.url, 'localhost').list(name);
      expect(user?.credentials).toHaveLength(1);
    }
  });

  it('one of two simultaneous deletions of a key answers 404', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { token, ids } = await newUser(`iris-${round}`, 'Phone', 'Drawer');
      const answers = await Promise.all([remove(ids[1], token), remove(ids[1], token)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    }
  });

  it('the token of a disabled key cannot list own keys (E0042R)', async () => {
    const { first, token } = await newUser('thea', 'Stolen', 'Kept');
    await disableCredentials(server, first.authenticator);
    expectRefusal(await list(token), 'E0042R', 401);
    const admin = new AdminClient(server.url, 'localhost');
    expect((await admin.manage({ type: 'enableall', filter: 'thea' })).status).toBe(200);
    expect(await listed(token)).toHaveLength(2);
  });

  it('a token of a previous user of the same name cannot list keys (E0033R, E0042R)', async () => {
    const { token } = await newUser('ina', 'Phone');
    const admin = new AdminClient(server.url, 'localhost');
    expect((await admin.manage({ type: 'deluser', filter: 'ina' })).status).toBe(200);
    expectRefusal(await list(token), 'E0033R');
    server.clock.advance(2000);
    await newUser('ina', 'Stranger');
    expectRefusal(await list(token), 'E0042R', 401);
  });

  it('a token lists the keys of its user, even after a rename', async () => {
    const older = await newUser('lena', 'Drawer');
    const { token, ids } = await newUser('kim', 'Phone');
    const admin = new AdminClient(server.url, 'localhost');
    const call = async (username: string, newUsername: string) => {
      const { status } = await admin.patch('/userapi/users', { username, newUsername });
      expect(status).toBe(200);
    };
    server.clock.advance(2000);
    await call('kim', 'kim.smith');
    expect((await list(token)).body).toMatchObject({ username: 'kim.smith', keys: [{}] });
    await call('lena', 'kim');
    const { body } = await list(token);
    expect(body).toMatchObject({ username: 'kim.smith', keys: [{ credentialId: ids[0] }] });
    expect(body['keys']).toHaveLength(1);
    expectRefusal(await remove(older.ids[0], token), 'E0043R');
    expectRefusal(await rename(older.ids[0], 'x', token), 'E0043R');
    expect((await list(older.token)).body).toMatchObject({ username: 'kim' });

    await admin.manage({ type: 'deldevice', filter: 'kim.smith', device: ids[0] });
    expectRefusal(await list(token), 'E0042R', 401);
  });

  it('a token whose key was deleted still lists the remaining keys', async () => {
    const { token, ids } = await newUser('mia', 'Phone', 'Drawer');
    expect((await remove(ids[0], token)).status).toBe(200);
    expect((await listed(token)).map(({ credentialId }) => credentialId)).toEqual([ids[1]]);
  });

  it('a token of a suspended user lists nothing, even if its key was deleted (E0042R)', async () => {
    const { token, ids } = await newUser('nele', 'Phone', 'Drawer');
    expect((await remove(ids[0], token)).status).toBe(200);
    const admin = new AdminClient(server.url, 'localhost');
    await admin.post('/userapi/users/suspension', { username: 'nele', suspended: true });
    expectRefusal(await list(token), 'E0042R', 401);
  });

  it('an application key lists the keys of a named user, but cannot change them (E0043R)', async () => {
    const { ids } = await newUser('jana', 'Phone');
    const scopes = ['ceremonies'];
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes });
    const backend = keyClient(server.url, secret, 'localhost');
    const { body } = await backend.get(`${KEYS}?username=jana`);
    expect(body).toMatchObject({ username: 'jana', keys: [{ credentialId: ids[0] }] });
    const one = await backend.get(`${KEYS}/${ids[0]}?username=jana`);
    expect(one.body['key']).toMatchObject({ credentialId: ids[0], current: false });
    expectRefusal(await backend.get(KEYS), 'E0001R');
    expectRefusal(await backend.get(`${KEYS}?username=nobody`), 'E0033R');
    const init = { method: 'DELETE' };
    expectRefusal(await backend.send(`${KEYS}/${ids[0]}?confirm=last`, init), 'E0043R');
    const other = await issueKey(server.url, { tenant: 'default', scopes: ['tickets'] });
    const stranger = keyClient(server.url, other.secret, 'localhost');
    expectRefusal(await stranger.get(`${KEYS}?username=jana`), 'E0043R');
  });

  /** A user with a key of each of these names, signed in with the first. */
  async function newUser(username: string, ...devices: string[]) {
    const clients = [];
    for (const name of devices) {
      const client = new FidoClient(server.url);
      expect((await client.register(username, { keypair: { name } })).status).toBe(200);
      clients.push(client);
    }
    const [first] = clients as [FidoClient, ...FidoClient[]];
    const token = bearer(String((await first.signIn(username)).body['token']));
    const ids = clients.map(({ keyId }) => keyId);
    return { clients: clients as FidoClient[], first, token, ids: ids as [string, string] };
  }

  async function listed(headers: Record<string, string>) {
    return (await list(headers)).body['keys'] as Listed[];
  }

  const namesOf = async (headers: Record<string, string>) =>
    (await listed(headers)).map(({ deviceName }) => deviceName);

  function rename(id: string, deviceName: unknown, headers: Record<string, string>) {
    return at().patch(`${KEYS}/${id}`, { deviceName }, headers);
  }

  function remove(id: string, headers: Record<string, string>, query = '') {
    return at().send(`${KEYS}/${id}${query}`, { method: 'DELETE', headers });
  }
});
