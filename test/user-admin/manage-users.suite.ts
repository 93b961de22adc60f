import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { Places } from '../support/settled-users.js';
import { TestServer } from '../support/test-server.js';

const CHANGING = [
  'deluser',
  'deldevice',
  'disableall',
  'enableall',
  'disabledevice',
  'enabledevice',
];
const DEVICE_TYPES = CHANGING.filter((type) => type.endsWith('device'));

describe.each(DATABASES)('manageusers on %s', (on) => {
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

  const expectRefused = async (parameters: Record<string, string>, code = 'E0045R') => {
    const before = await server.snapshot();
    const status = { E0045R: 400, E0044R: 404 }[code];
    for (const answer of [await admin.manage(parameters), await admin.managePost(parameters)]) {
      expect(answer).toMatchObject({ status, body: { status: 'failed', errorCode: code } });
      expect(answer.body['errorMessage']).not.toBe('');
    }
    expect(await server.snapshot()).toBe(before);
  };
  it('names parameters that it does not know, and lists or changes as if they were not there', async () => {
    await newUser().register('wendy');
    const unknown = { operation: 'deluser', username: 'wendy' };
    const warnings = Object.keys(unknown).map(
      (one) => `"${one}" is no field of this call, and was ignored.`,
    );
    for (const known of [{}, { limit: '1' }, { type: 'disableall', filter: 'wendy' }]) {
      const parameters = { ...known, ...unknown };
      expect((await admin.manage(parameters)).body).toMatchObject({ warnings });
      expect((await admin.managePost(parameters)).body).toMatchObject({ warnings });
      expect((await admin.manage(known)).body).not.toHaveProperty('warnings');
    }
    expect(await admin.names('wendy')).toEqual(['wendy']);
  });
  it.each(['dryRun', 'dryrun', 'dry_run', 'dry-run'])(
    'refuses %s where a change has no dry run',
    async (name) => {
      await newUser().register('walter');
      const dry = { [name]: 'yes' };
      await expectRefused({ type: 'deluser', filter: 'walter', ...dry });
      const before = await server.snapshot();
      const others = [
        await admin.post(`/userapi/deletelistusers?${name}=yes`, { users: ['walter'] }),
        await admin.post('/userapi/deletelistusers', { users: ['walter'], ...dry }),
        await admin.post('/userapi/users/suspension', {
          username: 'walter',
          suspended: true,
          ...dry,
        }),
      ];
      for (const { status, body } of others) {
        expect({ status, reason: body['reason'] }).toEqual({
          status: 400,
          reason: 'parameters.noDryRun',
        });
      }
      expect(await server.snapshot()).toBe(before);
    },
  );

  it.each(['/userapi/manageusers', '/userapi/invoice', '/userapi/deletelistusers'])(
    'refuses JSON at %s that says to be a form (E0048R)',
    async (path) => {
      const answer = await admin.send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: '{"type":"disableall","filter":"a&b=c"}',
      });
      expect(answer).toMatchObject({ status: 415, body: { reason: 'request.contentType' } });
    },
  );

  it('lists users without "type", by GET, by POST and at /users', async () => {
    await newUser().register('anna');
    const answers = [
      await admin.get('/userapi/manageusers?filter=anna'),
      await admin.managePost({ filter: 'anna' }),
      await admin.get('/users?filter=anna'),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: 'ok', errorMessage: '', total: 1, next: null });
      expect(body['users']).toMatchObject([{ username: 'anna', relyingParty: 'localhost' }]);
    }
  });

  it.each(['LIST', 'drop', 'list,deluser', ' list', '__proto__', 'constructor'])(
    'refuses the type %j',
    (type) => expectRefused({ type, filter: 'anna' }),
  );

  it.each([
    'type=list&type=deluser&filter=anna',
    'type[]=deluser&filter=anna',
    'type=deluser&filter[]=a&filter[]=b',
    'type=deluser&filter[username]=anna',
    'type=deluser&filter=anna&filter=bert',
    `type=deluser&${'filter[]=a&'.repeat(1000)}`,
    'type=list&filter=a&limit=1&limit=2',
    'filter.username=anna&type=deluser',
    'type=deluser&filter=%ff*',
    'type=deluser&filter=%ff%EF%BF%BD*',
  ])('refuses the parameters %.60s', async (query) => {
    const before = await server.snapshot();
    const answer = await admin.get(`/userapi/manageusers?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect(await server.snapshot()).toBe(before);
  });

  it('accepts an intended U+FFFD', async () => {
    const answer = await admin.get('/userapi/manageusers?type=list&filter=%EF%BF%BD');
    expect(answer).toMatchObject({ status: 200, body: { total: 0 } });
  });

  it.each([
    { type: 'deluser', filter: { $gt: '' } },
    { type: 'deluser', filter: ['anna'] },
    { type: ['deluser'], filter: 'anna' },
    { type: 'deluser', filter: null },
    { type: 'deluser', filter: 7 },
    { type: 'deluser', filter: 'lone \ud800' },
    { type: 'deluser', filter: '*', confirm: true },
  ])('refuses the body %j', async (body) => {
    const before = await server.snapshot();
    const answer = await admin.managePost(body);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect(await server.snapshot()).toBe(before);
  });

  it('refuses bodies that are not JSON objects, and parameters beside a body', async () => {
    for (const [body, code] of [
      ['[]', 'E0001R'],
      ['"x"', 'E0001R'],
      ['{', 'E0001R'],
    ] as const) {
      const answer = await admin.post('/userapi/manageusers', body);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: code } });
    }
    const text = await admin.post('/userapi/manageusers', '{}', { 'content-type': 'text/plain' });
    expect(text).toMatchObject({ status: 415, body: { errorCode: 'E0048R' } });
    const both = await admin.post('/userapi/manageusers?type=deluser&filter=anna', {});
    expect(both).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it.each(CHANGING)('requires for %s a filter that is not blank', async (type) => {
    const device = DEVICE_TYPES.includes(type) ? { device: 'x' } : {};
    await expectRefused({ type, ...device });
    for (const filter of ['', ' ', '\t', '\u00a0']) {
      await expectRefused({ type, filter, ...device });
    }
  });

  it.each(CHANGING)('requires confirm=all for %s of all users', async (type) => {
    const device = DEVICE_TYPES.includes(type) ? { device: 'x' } : {};
    for (const filter of ['*', '**', '*'.repeat(1000)]) {
      await expectRefused({ type, filter, ...device });
      await expectRefused({ type, filter, confirm: 'yes', ...device });
    }
  });

  it('changes with confirm=all every user of the relying party and no other', async () => {
    const here = await places.open('one', 'two', 'three');
    const there = await places.open('one');
    const answer = await here.manage({ type: 'deluser', filter: '*', confirm: 'all' });
    expect(answer.body).toMatchObject({
      status: 'ok',
      type: 'deluser',
      users: 3,
      credentials: 3,
    });
    expect(await here.names()).toEqual([]);
    expect(await there.names()).toEqual(['one']);
  });

  it.each(DEVICE_TYPES)('requires a device for %s', async (type) => {
    await expectRefused({ type, filter: 'anna' });
    await expectRefused({ type, filter: 'anna', device: '' });
    await expectRefused({ type, filter: 'anna', device: ' ' });
  });

  it('refuses a device, limit or cursor that would not restrict a change', async () => {
    for (const type of ['deluser', 'disableall', 'enableall']) {
      await expectRefused({ type, filter: 'anna', device: 'Security key' });
    }
    await expectRefused({ type: 'deluser', filter: 'a*', limit: '1' });
    await expectRefused({ type: 'deluser', filter: 'a*', cursor: 'x' });
  });

  it.each(['0', '-1', '1001', '1e2', '10.0', ' 1', 'all'])('refuses the limit %j', (limit) =>
    expectRefused({ limit }),
  );

  it.each(['x', '!', 'bG9jYWxob3N0', 'AAAA', 'bG9jYWxob3N0AGE=', 'A'.repeat(2000)])(
    'refuses the cursor %.20j',
    (cursor) => expectRefused({ cursor }),
  );

  it('treats an empty parameter as absent', async () => {
    await newUser().register('empty');
    const empty = { type: '', device: '', limit: '', cursor: '', confirm: '' };
    for (const { status, body } of [
      await admin.manage({ filter: 'empty', ...empty }),
      await admin.managePost({ filter: 'empty', ...empty }),
    ]) {
      expect([status, body]).toMatchObject([200, { total: 1, next: null }]);
    }
    const change = { ...empty, type: 'disableall', filter: 'empty' };
    expect(await admin.manage(change)).toMatchObject({ status: 200, body: { credentials: 1 } });
    await expectRefused({ ...change, filter: '' });
    await expectRefused({ ...change, type: 'deldevice' });
    await expectRefused({ ...empty, type: 'deluser', filter: '*' });
  });

  it.each(['criterion', 'toString', 'change'])('ignores a parameter named %s', async (name) => {
    const { status } = await admin.get(`/userapi/manageusers?filter=nobody&${name}=x`);
    expect(status).toBe(200);
  });

  it('refuses a filter of 64 KB or of 10,000 asterisks', async () => {
    for (const filter of ['a'.repeat(8000), '*'.repeat(8000)]) {
      await expectRefused({ type: 'list', filter });
    }
    const body = { type: 'deluser', filter: 'a'.repeat(60_000) };
    expect(await admin.managePost(body)).toMatchObject({ status: 400 });
    const more = await admin.managePost({ filter: 'a'.repeat(70_000) });
    expect(more).toMatchObject({ status: 413, body: { errorCode: 'E0041R' } });
  });

  it('answers for a pattern that makes backtracking matchers slow', async () => {
    await places.open(...Array.from({ length: 50 }, (_, n) => 'a'.repeat(200 + n)));
    expect(await admin.names(`${'*a'.repeat(400)}*b`)).toEqual([]);
  });

  it.each(CHANGING)('refuses %s without a matching user (E0044R)', async (type) => {
    const device = DEVICE_TYPES.includes(type) ? { device: 'x' } : {};
    await expectRefused({ type, filter: 'nobody-at-all', ...device }, 'E0044R');
    await expectRefused({ type, filter: 'nobody-*', ...device }, 'E0044R');
  });

  it('treats SQL in a filter as a name', async () => {
    const before = await server.snapshot();
    for (const text of [
      "' OR '1'='1",
      "'; DROP TABLE users; --",
      '" OR ""="',
      "\\' OR 1=1 -- ",
      "a' UNION SELECT public_key FROM credentials -- ",
      "1' AND SLEEP(5) -- ",
      '%27%20OR%201=1',
      "x'; ATTACH DATABASE 'x' AS y; --",
    ]) {
      expect(await admin.names(text)).toEqual([]);
      expect((await admin.manage({ filter: 'a*', device: text })).body['users']).toEqual([]);
      const refused = await admin.manage({ type: 'deluser', filter: text });
      expect(refused).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
      expect(refused.text).not.toMatch(/sql|syntax|sqlite|mysql|maria/i);
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('lists only the documented members of a user', async () => {
    const client = newUser();
    await client.register('lena', { keypair: { name: 'Key <b>', serial: 7 } });
    await client.signIn('lena');
    const { body, headers } = await admin.manage({ filter: 'lena' });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
    expect(body).toEqual({
      status: 'ok',
      errorMessage: '',
      total: 1,
      next: null,
      users: [
        {
          username: 'lena',
          displayName: 'lena',
          relyingParty: 'localhost',
          createdAt: time,
          credentials: [
            {
              credentialId: client.keyId,
              deviceName: 'Key <b>',
              aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd',
              authenticatorName: null,
              registrationDate: time,
              lastUsed: time,
              keypair: { name: 'Key <b>', serial: 7 },
              enabled: true,
              signCount: expect.any(Number) as number,
              transports: expect.any(Array) as string[],
              attestationFormat: 'none',
              backupEligible: expect.any(Boolean) as boolean,
              backedUp: expect.any(Boolean) as boolean,
            },
          ],
        },
      ],
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('escapes formulas in names and devices in CSV', async () => {
    const here = await places.open(
      { username: '=1+1', devices: ['@SUM(A1)', '-2'] },
      '+cmd',
      'a;=1',
    );
    const { text, headers } = await here.manage({}, { accept: 'text/csv' });
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(text).toContain(`"'=1+1",`);
    expect(text).toContain("'@SUM(A1)");
    expect(text).toContain("'+cmd");
    expect(text).toContain(`"a;'=1",`);
    expect(text.trim().split('\r\n')).toHaveLength(5);
  });
});
