import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { Places } from '../support/settled-users.js';
import { TestServer } from '../support/test-server.js';

const HALF_A_MINUTE = 30_000;

describe.each(DATABASES)('the selection of users by manageusers, on %s', (on) => {
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
  it.each([
    ['a%', ['a%']],
    ['_dmin', ['_dmin']],
    ['\\', ['\\']],
    ['a\\%', ['a\\%']],
    ['[a-z]', ['[a-z]']],
    ['?', ['?']],
    ["o'*", ["o'brien"]],
    ['*%*', ['a%', 'a\\%']],
    ['a*n', ['admin']],
    ['a*n*', ['admin', 'admin1']],
    ['ADMIN*', ['ADMIN1']],
    ['\u00e9*', ['émile']],
    ['e\u0301*', ['émile']],
    ['*😀*', ['x😀y']],
    ['x*y', ['x😀y']],
    ['', undefined],
    ['**', undefined],
  ])(
    'the selection by manageusers contains exactly the users who match the filter %j',
    async (filter, expected) => {
      const names = ['a%', '_dmin', '\\', 'a\\%', '[a-z]', '?', "o'brien", 'admin', 'admin1'];
      names.push('ADMIN1', 'émile', 'x😀y', 'b', 'ab');
      const here = await places.open(...names);
      const inOrder = (list: readonly string[]) =>
        [...list].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await here.names(filter)).toEqual(inOrder(expected ?? names));
      if (!expected) return;
      const answer = await here.managePost({ type: 'deluser', filter });
      expect(answer.body).toMatchObject({ users: expected.length });
      expect(await here.names()).toEqual(inOrder(names.filter((name) => !expected.includes(name))));
    },
  );

  it.each(['a\0b', 'a\nb', '\u202eabc', '\u200b'])(
    'the selection by manageusers is empty for the filter %j, which no name can match',
    async (filter) => expect(await admin.names(filter)).toEqual([]),
  );

  it.each([
    ...['__proto__', 'constructor', 'null', 'undefined', '0', 'true', '%', '.', '..', 'CON'],
    ...["'", '"', ';--', '*', '/', 'a/b', 'a?b', 'a#b', 'a&b=c', 'a+b', 'a%2Fb', 'a b'],
    ...['plus+tag@exämple.org', '<img src=x onerror=alert(1)>', '{{7*7}}', '=1+1', '😀'.repeat(63)],
    'x'.repeat(255),
  ])(
    'the selection by manageusers contains the name %.40j from its registration to its deletion',
    async (username) => {
      const client = newUser();
      expect((await client.register(username)).status).toBe(200);
      expect((await client.signIn(username)).status).toBe(200);
      expect(await admin.names(username)).toContain(username);
      if (username === '*') return;
      const disabled = await admin.manage({ type: 'disableall', filter: username });
      expect(disabled.body).toMatchObject({ users: 1, affected: [{ username }] });
      expect((await client.beginAuthentication(username)).status).toBe(403);
      const deleted = await admin.manage({ type: 'deluser', filter: username });
      expect(deleted.body).toMatchObject({ users: 1, credentials: 1, affected: [{ username }] });
      expect(await admin.names(username)).toEqual([]);
    },
  );

  it('distinguishes names that differ in case, width or script', async () => {
    const names = [
      'Admin',
      'admin',
      'ADMİN',
      'ſ',
      's',
      '\u212a',
      'K',
      'аdmin',
      'ａｄｍｉｎ',
      'ﬃ',
      'ℌ',
    ];
    // The Kelvin sign becomes K by NFC.
    const here = await places.open(...names.filter((name) => name !== '\u212a'));
    for (const name of names) {
      expect(await here.names(name)).toEqual([name.normalize('NFC')]);
    }
  });

  it('requires that the device is a key of the selected user', async () => {
    const here = await places.open(
      { username: 'anna', devices: ['Phone', 'Phone (2)', 'Laptop'] },
      { username: 'bert', devices: ['Phone'] },
    );
    const answer = await here.manage({ type: 'disabledevice', filter: 'anna', device: 'Phone' });
    expect(answer.body).toMatchObject({ users: 1, credentials: 1 });
    const enabled = (await here.list()).map(({ username, credentials }) => [
      username,
      credentials.map(({ deviceName, enabled: on }) => `${deviceName} ${on}`),
    ]);
    expect(enabled).toEqual([
      ['anna', ['Phone false', 'Phone (2) true', 'Laptop true']],
      ['bert', ['Phone true']],
    ]);
  });

  it('finds devices by name, by credential ID and by a pattern of either', async () => {
    const here = await places.open({ username: 'anna', devices: ['Phone', 'Laptop', 'a%*b'] });
    const devices = async (device: string) =>
      (await here.list('anna', { device })).flatMap(({ credentials }) =>
        credentials.map(({ deviceName }) => deviceName),
      );
    const [{ credentials } = { credentials: [] }] = await here.list('anna');
    expect(await devices('Phone')).toEqual(['Phone']);
    expect(await devices('*pto*')).toEqual(['Laptop']);
    expect(await devices('a%*')).toEqual(['a%*b']);
    expect(await devices('phone')).toEqual([]);
    expect(await devices('*')).toEqual(['Phone', 'Laptop', 'a%*b']);
    expect(await devices(`${credentials[1]?.credentialId}`)).toEqual(['Laptop']);
    const answer = await here.manage({
      type: 'deldevice',
      filter: 'anna',
      device: `${credentials[2]?.credentialId}`,
    });
    expect(answer.body).toMatchObject({
      affected: [{ username: 'anna', credentialIds: [credentials[2]?.credentialId] }],
    });
    expect(await devices('*')).toEqual(['Phone', 'Laptop']);
  });

  it('the selection by manageusers is paged in byte order of names, regardless of simultaneous inserts', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `${'ä€😀'.slice(n % 3)}-${n}`);
    const here = await places.open(...names, 'y'.repeat(255), 'z'.repeat(255));
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const answer = await here.counted({ limit: '4', ...(cursor === '' ? {} : { cursor }) });
      const users = answer.body['users'] as { username: string }[];
      expect(answer.body['total']).toBe(27 - page);
      seen.push(...users.map(({ username }) => username));
      const gone = users.at(-1)?.username ?? '';
      await here.managePost({ type: 'deluser', filter: gone });
      // A count that took longer than an answer waits is kept for half a minute, whatever is deleted then.
      server.clock.advance(HALF_A_MINUTE);
      cursor = answer.body['next'] as string | null;
    }
    const bytes = (name: string) => Buffer.from(name);
    const all = [...names, 'y'.repeat(255), 'z'.repeat(255)];
    expect(seen).toEqual(all.sort((a, b) => Buffer.compare(bytes(a), bytes(b))));
  });

  it('the selection by manageusers ends with a full page that says that it is the last one', async () => {
    const here = await places.open('a', 'b', 'c', 'd');
    const first = await here.manage({ limit: '2' });
    const second = await here.manage({ limit: '2', cursor: `${String(first.body['next'])}` });
    expect(second.body).toMatchObject({
      users: [{ username: 'c' }, { username: 'd' }],
      next: null,
    });
  });
});
