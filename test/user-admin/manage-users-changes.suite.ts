import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { Places } from '../support/settled-users.js';
import type { Answer } from '../support/client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** The assertion of an authenticator whose key the server no longer lists. */
function signAnyway(client: FidoClient, begun: Answer): Promise<Answer> {
  const { origin } = client;
  const challenge = String(begun.body['challenge']);
  return client.completeAuthentication(client.authenticator.get({ challenge }, { origin }));
}

describe.each(DATABASES)('a change by manageusers on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let places: Places;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = new AdminClient(server.url, 'localhost');
    places = new Places(server);
  });
  afterAll(() => server.stop());

  const newUser = () => new FidoClient(server.url);
  it('keeps a disabled credential from being offered and from signing in, even in a pending ceremony', async () => {
    const client = newUser();
    await client.register('carla');
    const begun = client.assert(await client.beginAuthentication('carla'));
    const answer = await admin.manage({ type: 'disableall', filter: 'carla' });
    expect(answer.body).toMatchObject({ status: 'ok', users: 1, credentials: 1 });
    const late = await client.completeAuthentication(begun);
    expect(late).toMatchObject({ status: 403, body: { errorCode: 'E0034R' } });
    const refused = await client.beginAuthentication('carla');
    expect(refused.status).toBe(403);
    expect(refused.body).not.toHaveProperty('errorCode');
    await admin.manage({ type: 'enableall', filter: 'carla' });
    expect((await client.signIn('carla')).status).toBe(200);
  });

  it('leaves a second device of the user working', async () => {
    const phone = newUser();
    const laptop = newUser();
    await phone.register('dora', { keypair: { name: 'Phone' } });
    await laptop.register('dora', { keypair: { name: 'Laptop' } });
    await admin.manage({ type: 'disabledevice', filter: 'dora', device: 'Phone' });
    expect((await laptop.signIn('dora')).status).toBe(200);
    const begun = await phone.beginAuthentication('dora');
    expect(begun.body['allowCredentials']).toHaveLength(1);
    expect(await signAnyway(phone, begun)).toMatchObject({ status: 403 });
    const exclude = (await newUser().beginRegistration('dora')).body['excludeCredentials'];
    expect(exclude).toHaveLength(2);
    await admin.manage({ type: 'enabledevice', filter: 'dora', device: 'Phone' });
    expect((await phone.signIn('dora')).status).toBe(200);
    await admin.manage({ type: 'deldevice', filter: 'dora', device: 'Phone' });
    const answer = await signAnyway(phone, await phone.beginAuthentication('dora'));
    expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0033R' } });
    expect((await laptop.signIn('dora')).status).toBe(200);
  });

  it('makes a pending sign-in of a deleted user fail, and frees the name for a new user', async () => {
    const client = newUser();
    await client.register('emil');
    const handle = client.authenticator.credentials[0]?.userHandle;
    const begun = client.assert(await client.beginAuthentication('emil'));
    const joining = newUser();
    const registration = joining.create(await joining.beginRegistration('emil'));
    await admin.manage({ type: 'deluser', filter: 'emil' });
    const late = await client.completeAuthentication(begun);
    expect(late).toMatchObject({ status: 404, body: { errorCode: 'E0033R' } });
    expect((await joining.completeRegistration(registration)).status).toBe(408);
    expect((await client.beginAuthentication('emil')).status).toBe(403);
    const heir = newUser();
    expect((await heir.register('emil')).status).toBe(200);
    expect(heir.authenticator.credentials[0]?.userHandle).not.toBe(handle);
    expect((await heir.signIn('emil')).status).toBe(200);
  });

  it('deletes a user with the last key, and lets a deleted key be registered again', async () => {
    const client = newUser();
    await client.register('frida');
    await admin.manage({ type: 'deldevice', filter: 'frida', device: '*' });
    expect(await admin.list('frida')).toMatchObject([{ credentials: [] }]);
    expect((await client.beginAuthentication('frida')).status).toBe(403);
    expect((await newUser().register('frida')).status).toBe(200);
  });

  describe('a full credential ID as device, without a filter', () => {
    /** A user of two devices, and the IDs of both. */
    async function owner(username: string) {
      const devices = [newUser(), newUser()];
      for (const device of devices) await device.register(username);
      const ids = devices.map(({ authenticator }) => {
        const [credential] = authenticator.credentials;
        return (credential?.id ?? Buffer.of()).toString('base64url');
      });
      return { devices, ids };
    }

    it.each(['disabledevice', 'enabledevice', 'deldevice'])(
      '%s changes only that credential, even of a user whose name is an asterisk',
      async (type) => {
        for (const username of [`olga-${type}`, '*']) {
          const { ids } = await owner(username);
          const [device = '', other = ''] = ids;
          if (type === 'enabledevice') await admin.manage({ type: 'disabledevice', device });
          expect(await admin.managePost({ type, device })).toMatchObject({
            status: 200,
            body: { users: 1, credentials: 1, affected: [{ username, credentialIds: [device] }] },
          });
          const left = (await admin.list(undefined, { device: other })).map(
            (user) => user.username,
          );
          expect(left).toEqual([username]);
        }
      },
    );

    it.each(['Security key', 'Phone', '*', 'AAAAAAAA*', 'AAAA', 'not/base64url+of/an+ID=='])(
      '%j is not a credential ID and requires a filter',
      async (device) => {
        const before = await server.snapshot();
        for (const answer of [
          await admin.manage({ type: 'deldevice', device }),
          await admin.managePost({ type: 'deldevice', device, filter: '' }),
        ]) {
          expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
        }
        expect(await server.snapshot()).toBe(before);
      },
    );

    it('is refused if it is unknown or of another relying party (E0044R)', async () => {
      const { ids } = await owner('paula');
      await server.addRelyingParty('acme', { domain: 'acme.example' });
      const elsewhere = new AdminClient(server.url, 'acme.example');
      const before = await server.snapshot();
      const [device = ''] = ids;
      const nobodys = Buffer.alloc(32, 7).toString('base64url');
      for (const answer of [
        await elsewhere.manage({ type: 'deldevice', device }),
        await admin.manage({ type: 'deldevice', device: nobodys }),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
      }
      expect(await server.snapshot()).toBe(before);
    });

    it('does not replace the filter of changes of whole users', async () => {
      const answer = await admin.manage({ type: 'deluser', device: 'A'.repeat(43) });
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    });
  });

  it('a change by manageusers has no effect when it is repeated, and finds no deleted user', async () => {
    const here = await places.open({ username: 'gina', devices: ['one', 'two'] });
    const nothing = { status: 'ok', users: 0, credentials: 0, affected: [] };
    const change = async (type: string) => (await here.manage({ type, filter: 'gina' })).body;
    expect(await change('enableall')).toMatchObject(nothing);
    expect(await change('disableall')).toMatchObject({ users: 1, credentials: 2 });
    expect(await change('disableall')).toMatchObject(nothing);
    expect(await change('deluser')).toMatchObject({ users: 1, credentials: 2 });
    expect(await change('deluser')).toMatchObject({ errorCode: 'E0044R' });
  });

  it('reports each deletion of two simultaneous calls once', async () => {
    const here = await places.open(
      ...Array.from({ length: 120 }, (_, n) => ({ username: `h-${n}`, devices: ['one', 'two'] })),
    );
    const answers = await Promise.all(
      ['h-*', 'h-1*', 'h-*', 'h-*5'].map((filter) => here.managePost({ type: 'deluser', filter })),
    );
    const sum = (name: string) =>
      answers.reduce((all, { body }) => all + Number(body[name] ?? 0), 0);
    expect([sum('users'), sum('credentials')]).toEqual([120, 240]);
    const lists = answers.flatMap(({ body }) => (body['affected'] ?? []) as { username: string }[]);
    expect(new Set(lists.map(({ username }) => username)).size).toBe(120);
    expect(await here.names()).toEqual([]);
  });

  it('stores the last recorded state when a key is enabled and disabled at once', async () => {
    const here = await places.open({ username: 'ines', devices: ['one', 'two', 'three'] });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        ['disableall', 'enableall', 'disableall'].map((type) =>
          here.managePost({ type, filter: 'ines' }),
        ),
      );
    }
    const [{ credentials } = { credentials: [] }] = await here.list('ines');
    const events = await rowsOf<{ kind: string; credential: Buffer }>(
      server,
      'SELECT kind, credential FROM events WHERE username = ? ORDER BY id',
      Buffer.from('ines'),
    );
    const changes = new Map<string, number>();
    for (const { kind, credential } of events) {
      const key = credential.toString('hex');
      changes.set(key, (changes.get(key) ?? 0) + (kind === 'enabled' ? 1 : -1));
    }
    // Each began enabled: as many disabled as enabled again, or one more.
    const disabled = [...changes.values()].filter((sum) => sum === -1).length;
    expect([...changes.values()].every((sum) => sum === 0 || sum === -1)).toBe(true);
    expect(credentials.filter(({ enabled }) => !enabled)).toHaveLength(disabled);
  });

  it('leaves no credential without its user when a deletion and a registration race', async () => {
    for (let round = 0; round < 15; round += 1) {
      const first = newUser();
      await first.register('jana');
      const second = newUser();
      const body = second.create(await second.beginRegistration('jana'));
      await Promise.all([
        second.completeRegistration(body),
        admin.manage({ type: 'deluser', filter: 'jana' }),
      ]);
      await admin.manage({ type: 'deluser', filter: 'jana' });
    }
    const orphans = `credentials c WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = c.user_id)`;
    expect(await countOf(server, orphans)).toBe(0);
    const stock = await rowsOf<{ kind: string; n: number }>(
      server,
      'SELECT kind, COUNT(*) AS n FROM events WHERE username = ? GROUP BY kind',
      Buffer.from('jana'),
    );
    const of = (kind: string) => Number(stock.find((row) => row.kind === kind)?.n ?? 0);
    expect(of('deleted')).toBe(of('registration'));
    expect(of('user-deleted')).toBe(of('user-created'));
  });

  it('adds one event with the request ID for each changed credential', async () => {
    const here = await places.open({ username: 'karl', devices: ['one', 'two'] });
    const answers = [];
    for (const parameters of [
      { type: 'disabledevice', filter: 'karl', device: 'one' },
      { type: 'enableall', filter: 'karl' },
      { type: 'deluser', filter: 'karl' },
    ]) {
      answers.push(await here.manage(parameters));
    }
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    const events = await rowsOf<{ kind: string; detail: string | null; request: string }>(
      server,
      'SELECT kind, detail, request_id AS request FROM events WHERE username = ? ORDER BY id',
      Buffer.from('karl'),
    );
    const told = events.map(({ kind, detail, request }) =>
      [ids.indexOf(request), kind, detail ?? ''].join(' ').trim(),
    );
    expect(told.sort()).toEqual([
      '0 disabled',
      '1 enabled',
      '2 deleted enabled',
      '2 deleted enabled',
      '2 user-deleted',
    ]);
  });
});
