import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import { basic, type Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { sendRaw, statusOf } from '../support/raw-http.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const RELYING_PARTIES = '/tenantapi/tenants/default/relying-parties';
const BROWSER = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };

const ignored = (name: string, meant?: string) =>
  `"${name}" is no field of this call, and was ignored.` +
  (meant === undefined ? '' : ` Did you mean "${meant}"?`);

describe('names that a call of the administration does not know', () => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({});
    admin = new AdminClient(server.url, 'localhost');
    expect((await new FidoClient(server.url).register('alice')).status).toBe(200);
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body: object): Promise<Answer> =>
    admin.sendJson(method, path, { body });

  const webhook = async () => {
    const { body } = await admin.post('/tenantapi/webhooks', {
      tenant: 'default',
      url: 'https://hooks.example.com/',
      events: ['registration'],
    });
    return (body['webhook'] as { id: string }).id;
  };

  it.each([
    [
      'POST',
      RELYING_PARTIES,
      { domain: 'new.example', registration: 'ticket' },
      'registration',
      'policy.registration',
    ],
    [
      'PATCH',
      `${RELYING_PARTIES}/localhost`,
      { registration: 'ticket' },
      'registration',
      'policy.registration',
    ],
    [
      'PATCH',
      '/tenantapi/tenants/default',
      { displayName: 'Acme', billing: 'x' },
      'billing',
      undefined,
    ],
    [
      'POST',
      '/userapi/users/suspension',
      { username: 'alice', suspended: false, reson: 'left' },
      'reson',
      'reason',
    ],
    [
      'POST',
      '/userapi/tickets',
      { username: 'bob', relyingParty: 'localhost', display_name: 'Bob' },
      'display_name',
      'displayName',
    ],
    [
      'POST',
      '/userapi/invitations',
      { username: 'bob', relyingParty: 'localhost', minkeys: 2 },
      'minkeys',
      'minKeys',
    ],
    [
      'PUT',
      '/userapi/users/groups',
      { username: 'alice', groups: [], group: 'x' },
      'group',
      'groups',
    ],
    [
      'PATCH',
      '/userapi/users',
      { username: 'alice', displayName: 'A', newUserName: 'b' },
      'newUserName',
      'newUsername',
    ],
    ['POST', '/userapi/invoice', { invoiceLog: 'yes' }, 'invoiceLog', 'invoicelog'],
  ])('%s %s warns of an unknown member of %j', async (method, path, body, name, meant) => {
    const answer = await send(method, path, body);
    expect(answer.status).toBeLessThan(300);
    expect(answer.body['warnings']).toContain(ignored(name, meant));
  });

  it('the calls of own keys warn of an unknown member or parameter', async () => {
    const client = new FidoClient(server.url);
    await client.register('carla');
    const { body } = await client.signIn('carla');
    const headers = { authorization: `Bearer ${String(body['token'])}` };
    const id = client.keyId;
    const key = `/fidoapi/keys/${id}`;
    const call = (method: string, path: string, sent?: object) =>
      client.sendJson(method, path, { headers, body: sent });
    const renamed = await call('PATCH', key, { deviceName: 'Phone', device: 'x' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { warnings: [ignored('device', 'deviceName')] },
    });
    for (const path of ['/fidoapi/keys?user=carla', `${key}?user=carla`]) {
      expect(await call('GET', path)).toMatchObject({
        status: 200,
        body: { warnings: [ignored('user', 'username')] },
      });
    }
    const deleted = await call('DELETE', `${key}?confirm=last&confirmed=yes`);
    expect(deleted).toMatchObject({
      status: 200,
      body: { warnings: [ignored('confirmed')] },
    });
  });

  it('the report of an own key warns of an unknown member', async () => {
    const [owner, stranger] = [new FidoClient(server.url), new FidoClient(server.url)];
    for (const client of [owner, stranger]) await client.register('dora');
    const token = String((await owner.signIn('dora')).body['token']);
    const id = stranger.keyId;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await owner.post(`/fidoapi/keys/${id}/report`, { reason: 'lost' }, headers);
    expect(answer).toMatchObject({ status: 200, body: { warnings: [ignored('reason')] } });
  });

  it('the look-up of an invitation warns of an unknown member', async () => {
    const issued = await admin.post('/userapi/invitations', {
      username: 'erik',
      relyingParty: 'localhost',
    });
    const answer = await new FidoClient(server.url).post('/fidoapi/invitation', {
      code: issued.body['code'],
      username: 'erik',
    });
    expect(answer).toMatchObject({ status: 200, body: { warnings: [ignored('username')] } });
  });

  it.each([
    ['/fidoapi/test?relyingparty=localhost', 'relyingparty', 'relyingParty'],
    ['/fidoapi/testdb?relyingParty=localhost', 'relyingParty', undefined],
  ])('GET %s warns of an unknown parameter', async (path, name, meant) => {
    const answer = await new FidoClient(server.url).get(path);
    expect(answer).toMatchObject({ status: 200, body: { warnings: [ignored(name, meant)] } });
  });

  it('a change of a webhook warns of an unknown member', async () => {
    const answer = await send('PATCH', `/tenantapi/webhooks/${await webhook()}`, { event: ['*'] });
    expect(answer).toMatchObject({ status: 200, body: { warnings: [ignored('event', 'events')] } });
  });

  it.each([
    ['/tenantapi/keys', { relyingparties: ['localhost'] }, 'relyingParties'],
    ['/tenantapi/keys', { expires: '2030-01-01' }, 'expiresAt'],
    ['/tenantapi/keys', { relyingParty: 'localhost' }, 'relyingParties'],
    ['/tenantapi/webhooks', { relying_parties: ['localhost'] }, 'relyingParties'],
  ])('POST %s issues no secret for a misspelt member of %j (E0045R)', async (path, more, meant) => {
    const known = path.endsWith('keys')
      ? { name: 'shop', tenant: 'default', scopes: ['tickets'] }
      : { tenant: 'default', url: 'https://hooks.example.com/', events: ['registration'] };
    // Their ids: what else a list says changes, for example when the message of an earlier test is delivered.
    const ids = async () => {
      const rows = (await admin.get(path)).body[path.endsWith('keys') ? 'keys' : 'webhooks'];
      return (rows as { id: string }[]).map(({ id }) => id);
    };
    const before = await ids();
    const { status, body } = await admin.post(path, { ...known, ...more });
    expect({ status, reason: body['reason'] }).toEqual({
      status: 400,
      reason: 'parameters.unknown',
    });
    expect(body.errorMessage).toContain(`"${Object.keys(more).join()}" is no parameter`);
    expect(body.errorMessage).toContain(meant);
    expect(await ids()).toEqual(before);
  });

  it.each([
    ['/userapi/tickets', { userName: 'bob', relyingParty: 'localhost' }, 'userName'],
    ['/userapi/tickets', { username: 'bob', relying_party: 'localhost' }, 'relying_party'],
    ['/fidoapi/register/begin', { user_name: 'bob' }, 'user_name'],
  ])(
    'POST %s names the field of %j that was sent instead of a missing one',
    async (path, sent, name) => {
      const { status, body } = await admin.post(path, sent);
      expect(status).toBe(400);
      expect(body.errorMessage).toMatch(
        new RegExp(`\\. "${name}" was sent instead, which is no field of this call\\.$`),
      );
    },
  );

  it('a refusal of a missing field does not name a sent one that is written otherwise', async () => {
    const { body } = await admin.post('/userapi/tickets', { person: 'bob' });
    expect(body.errorMessage).toMatch(/^"username" must be/);
    expect(body.errorMessage).not.toContain('person');
  });

  it('a change of a relying party that names only unknown members keeps its version', async () => {
    const path = `${RELYING_PARTIES}/localhost`;
    const before = await admin.get(path);
    const answer = await send('PATCH', path, { registration: 'ticket' });
    expect(answer.body['version']).toBe(before.body['version']);
    expect(await admin.get(path)).toMatchObject({ body: before.body });
    const { body } = await admin.get('/userapi/audit?limit=1');
    expect(body['entries']).toMatchObject([
      { action: 'relying-party.change', result: 'ok', detail: { changed: false } },
    ]);
  });

  it('a form with an unknown field is answered with a warning', async () => {
    const answer = await admin.send('/userapi/manageusers', {
      method: 'POST',
      body: new URLSearchParams({ limit: '1', filtr: 'x' }),
    });
    expect(answer).toMatchObject({ status: 200, body: { warnings: [ignored('filtr', 'filter')] } });
  });

  it('a call whose names are all known has no warnings', async () => {
    const ticket = { username: 'bob', relyingParty: 'localhost', ttl: 60 };
    expect((await admin.post('/userapi/tickets', ticket)).body).not.toHaveProperty('warnings');
    expect((await admin.get('/userapi/invoice?invoicelog=no')).body).not.toHaveProperty('warnings');
  });

  it.each([
    ['/userapi/events?usr=alice', 'usr', 'requestId'],
    ['/userapi/audit?acton=ticket.issue', 'acton', 'action'],
    ['/userapi/tickets?user=alice', 'user', 'username'],
    ['/userapi/invitations?user=alice', 'user', 'username'],
    ['/userapi/findings?type=copied', 'type', 'relyingParty'],
    ['/userapi/invoices?date=2026-01', 'date', 'before, month'],
    ['/tenantapi/keys?name=shop', 'name', 'tenant'],
  ])(
    'GET %s is refused, and lists nothing without its filter (E0045R)',
    async (path, name, known) => {
      for (const headers of [{}, { accept: 'text/csv' }]) {
        const { status, body } = await admin.get(path, headers);
        expect({ status, reason: body['reason'] }).toEqual({
          status: 400,
          reason: 'parameters.unknown',
        });
        expect(body.errorMessage).toContain(
          `"${name}" is no parameter of this call, which has these: `,
        );
        expect(body.errorMessage).toContain(known);
      }
    },
  );

  it('refuses a parameter of a list that has none (E0045R)', async () => {
    const { status, body } = await admin.get('/tenantapi/tenants?name=acme');
    expect({ status, reason: body['reason'] }).toEqual({ status: 400, reason: 'parameters.none' });
  });

  it.each([
    ['/userapi/invoice?format=CSV', 'field.oneOf', '"format" must be one of json, html, csv, '],
    ['/userapi/invoice?format=xlsx', 'field.oneOf', 'spreadsheet'],
    ['/userapi/manageusers?format=xml', 'field.oneOf', 'csv'],
    ['/userapi/audit?format=cef', 'field.oneOf', 'ocsf'],
    ['/userapi/users.csv?format=xlsx', 'field.oneOf', 'csv, spreadsheet'],
    ['/userapi/audit?action=user.delet', 'field.oneOf', '"action" must be one of '],
    ['/userapi/audit?from=2026-02-02&to=2026-02-01', 'field.period', '"to" must not be before'],
    ['/userapi/events?from=2026-02-02&to=2026-02-01', 'field.period', '"to" must not be before'],
  ])('GET %s is refused, since it could not answer what is asked (E0045R)', async (...call) => {
    const [path, reason, words] = call;
    const { status, body } = await admin.get(path);
    expect({ status, reason: body['reason'] }).toEqual({ status: 400, reason });
    expect(body.errorMessage).toContain(words);
  });

  it.each(['/userapi/audit?from=2026-02-02&to=2026-02-02', '/userapi/invoice?format=&date='])(
    'GET %s is answered',
    async (path) => {
      expect((await admin.get(path)).status).toBe(200);
    },
  );

  it.each(['/tenantapi/keys?tenant=acmee', '/tenantapi/webhooks?tenant=acmee'])(
    'GET %s is refused, since there is no such tenant (E0044R)',
    async (path) => {
      expect(await admin.get(path)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0044R', reason: 'tenant.unknown' },
      });
    },
  );

  it.each(['/userapi/audit?utm_source=mail', '/userapi/invoices?utm_source=mail'])(
    'the page %s opens from a link with parameters of other programs',
    async (path) => {
      const answer = await admin.get(path, BROWSER);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('text/html');
    },
  );

  it.each([
    ['/userapi/manageusers?fliter=alice', 'fliter'],
    ['/users?fliter=alice', 'fliter'],
    ['/userapi/invoice?month=2026-01', 'month'],
    ['/userapi/invoiceest?date=2026-01-31', 'date'],
  ])('GET %s of the interface is answered, with a warning', async (path, name) => {
    const { status, body } = await admin.get(path);
    expect(status).toBe(200);
    expect(body['warnings']).toEqual([expect.stringContaining(ignored(name))]);
  });

  it.each(['/userapi/manageusers?fliter=alice', '/users?fliter=alice', '/userapi/invoice?month=1'])(
    'GET %s as CSV is refused, since CSV has no place for a warning (E0045R)',
    async (path) => {
      const { status, body } = await admin.get(path, { accept: 'text/csv' });
      expect({ status, reason: body['reason'] }).toEqual({
        status: 400,
        reason: 'parameters.unknown',
      });
    },
  );

  it.each([
    ['/userapi/invoice?date=2026-01-31', {}],
    ['/userapi/manageusers?type=disableall&filter=alice', {}],
    ['/userapi/tickets?username=alice', { username: 'bob', relyingParty: 'localhost' }],
  ])('POST %s is refused, since it reads its body (E0045R)', async (path, body) => {
    const before = await server.snapshot();
    const answer = await admin.post(path, body);
    expect(answer).toMatchObject({ status: 400, body: { reason: 'request.parametersInBody' } });
    expect(await server.snapshot()).toBe(before);
  });

  it('an application key gets the same warnings and refusals', async () => {
    const scopes = ['tickets', 'events:read'];
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes });
    const headers = { authorization: `Bearer ${secret}` };
    const program = new AdminClient(server.url, 'localhost', headers);
    const wish = { username: 'carol', relyingParty: 'localhost', tll: 60 };
    const ticket = await program.post('/userapi/tickets', wish);
    expect(ticket.body['warnings']).toEqual([ignored('tll', 'ttl')]);
    expect((await program.get('/userapi/events?usr=carol')).status).toBe(400);
  });

  it('a caller without an account learns nothing of the parameters of a call (E0042R)', async () => {
    const stranger = new AdminClient(server.url, 'localhost', { authorization: 'Basic eDp5' });
    const { body } = await stranger.get('/userapi/events?usr=alice');
    expect(body.errorCode).toBe('E0042R');
  });

  it('refuses parameters of a list in the body of a GET (E0045R)', async () => {
    const body = '{"user":"alice"}';
    const answer = await sendRaw(
      server.url,
      [
        'GET /userapi/events HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        `Authorization: ${basic(ADMIN.user, ADMIN.password).authorization}`,
        '',
        body,
      ].join('\r\n'),
    );
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"reason":"request.parametersInAddress"');
  });
});
