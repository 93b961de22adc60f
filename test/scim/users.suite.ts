import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { ENROLMENT, ENTERPRISE, ScimClient, expectScimError } from '../support/scim-client.js';
import { adminClient } from '../support/client.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const PLACE = { tenant: 'default', domain: 'localhost' };

describe.each(DATABASES)('the users of a relying party by SCIM, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true, domain: 'localhost' } });
    directory = await ScimClient.start(server.url, PLACE);
  });
  afterAll(() => server.stop());

  const rowsAbout = async (username: string) => {
    const { body } = await adminClient(server.url).get(`/userapi/audit?target=${username}`);
    return (body['entries'] as { action: string; result: string; account: string }[]).map(
      ({ action, result }) => `${action} ${result}`,
    );
  };

  it('creates a user without a key, who then registers one under the same ID', async () => {
    const { status, body, headers } = await directory.create({
      externalId: '9f3a',
      userName: 'alice',
      displayName: 'Alice Example',
      active: true,
      password: 'never stored',
      [ENTERPRISE]: { manager: { value: '26118915' } },
    });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    const id = String(body['id']);
    const location = `${server.url}/scim/v2/default/localhost/Users/${id}`;
    expect(headers.get('location')).toBe(location);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
      id: expect.stringMatching(/^[\w-]{22}$/),
      externalId: '9f3a',
      userName: 'alice',
      displayName: 'Alice Example',
      name: { formatted: 'Alice Example' },
      active: true,
      [ENTERPRISE]: { manager: { value: '26118915' } },
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        location,
        version: headers.get('etag'),
      },
    });
    const alice = new FidoClient(server.url);
    const named = { displayName: 'Alice Example' };
    expect((await alice.register('alice', named)).status).toBe(200);
    expect((await alice.signIn('alice')).body).toMatchObject({ displayName: 'Alice Example' });
    expect((await directory.user(id)).body).toEqual(body);
    expect(await rowsAbout('alice')).toEqual(['user.create ok']);
  });

  it('refuses a second user of a name or an externalId', async () => {
    await directory.created({ userName: 'bob', externalId: 'b-1' });
    const name = await directory.create({ userName: 'bob', externalId: 'b-2' });
    expectScimError(name, 409, 'E0045R user.nameTaken', 'uniqueness');
    const id = await directory.create({ userName: 'bobby', externalId: 'b-1' });
    expectScimError(id, 409, 'E0045R scim.externalIdTaken', 'uniqueness');
    const other = await directory.created({ userName: 'bobette', externalId: 'b-3' });
    for (const change of [{ userName: 'bob' }, { userName: 'bobette', externalId: 'b-1' }]) {
      expectScimError(
        await directory.replace(other, change),
        409,
        `E0045R ${'externalId' in change ? 'scim.externalIdTaken' : 'user.nameTaken'}`,
        'uniqueness',
      );
    }
    expect((await directory.user(other)).body).toMatchObject({
      userName: 'bobette',
      externalId: 'b-3',
    });
  });

  it('creates one user when two instances are asked at the same time', async () => {
    const database = await createServerDatabase(on);
    const options = { scim: true, domain: 'localhost' };
    const one = await TestServer.start({ database, options });
    const two = await TestServer.start({ database, options });
    try {
      const first = await ScimClient.start(one.url, PLACE);
      const second = new ScimClient(
        two.url,
        String(first.headers['authorization']).slice('Bearer '.length),
        PLACE,
      );
      for (let round = 0; round < 5; round += 1) {
        const user = { userName: `user-${round}`, externalId: `e-${round}` };
        const answers = await Promise.all([first.create(user), second.create(user)]);
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
        const found = await second.find(`externalId eq "e-${round}"`);
        expect(found.body).toMatchObject({ totalResults: 1 });
      }
    } finally {
      await one.stop();
      await two.stop();
      await database.remove();
    }
  });

  it('finds users by userName, externalId and id, and in lists', async () => {
    const id = await directory.created({
      userName: 'carol',
      externalId: 'c-1',
      displayName: 'Carol',
      [ENTERPRISE]: { manager: { value: 'm-1' } },
    });
    for (const filter of [
      'userName eq "carol"',
      'USERNAME Eq "carol"',
      'externalId eq "c-1"',
      `id eq "${id}"`,
      `id eq "${id}" and manager eq "m-1"`,
      'userName eq "carol" and displayName eq "CAROL"',
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "carol"',
    ]) {
      const { body } = await directory.find(filter);
      expect({ filter, ...body }).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    }
    for (const filter of [
      'userName eq "Carol"',
      'externalId eq "C-1"',
      `id eq "${id}" and manager eq "m-2"`,
      'id eq "x"',
      'userName eq "carol" and externalId eq "c-2"',
    ]) {
      const { status, body } = await directory.find(filter);
      expect({ filter, status, ...body }).toMatchObject({
        status: 200,
        totalResults: 0,
        Resources: [],
      });
    }
    const { body } = await directory.call('GET', '/Users?startIndex=2&count=2');
    expect(body).toMatchObject({ startIndex: 2, itemsPerPage: 2 });
    const total = Number(body['totalResults']);
    const all = await directory.call('GET', '/Users?count=200&attributes=userName');
    const users = all.body['Resources'] as { id: string; userName: string }[];
    expect(users).toHaveLength(total);
    expect(users.slice(1, 3).map((user) => user.id)).toEqual(
      (body['Resources'] as { id: string }[]).map((user) => user.id),
    );
    expect(Object.keys(users[0] ?? {}).sort()).toEqual(['id', 'schemas', 'userName']);
    expect((await directory.call('GET', '/Users?count=0')).body).toMatchObject({
      totalResults: total,
      Resources: [],
    });
  });

  it.each([
    'displayName eq "Alice"',
    'active eq true',
    'userName sw "a"',
    'emails eq "x"',
    'password eq "never stored"',
    'id pr',
  ])('refuses the filter %s', async (filter) => {
    expectScimError(await directory.find(filter), 400, 'E0045R scim.filter', 'invalidFilter');
  });

  it.each(['/Users?Filter=x', '/Groups?filters=x', '/Schemas?domain=x', '/Users/x?dryrun=yes'])(
    'refuses the unknown parameter of GET %s',
    async (path) => {
      const answer = await directory.call('GET', path);
      expect(answer).toMatchObject({ status: 400, body: { status: '400' } });
      expect(answer.body['detail']).toMatch(/\(E0045R parameters\.\w+\)$/);
    },
  );

  it.each(['attributes=userNmae', 'excludedAttributes=menbers'])(
    'refuses a change with ?%s, and changes nothing',
    async (query) => {
      const id = await directory.created({ userName: `kept with ${query}` });
      const before = await server.snapshot();
      const operation = { op: 'replace', path: 'active', value: false };
      const body = { Operations: [operation] };
      const answer = await directory.call('PATCH', `/Users/${id}?${query}`, body);
      expectScimError(answer, 400, 'E0045R scim.attribute', 'invalidValue');
      expect(await server.snapshot()).toBe(before);
    },
  );

  it('shows an extension that is asked for by its URN', async () => {
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    const user = { userName: 'managed', [enterprise]: { manager: { value: 'boss' } } };
    const id = await directory.created(user);
    const { body } = await directory.call('GET', `/Users/${id}?attributes=${enterprise}`);
    expect(body).toMatchObject({ id, [enterprise]: { manager: { value: 'boss' } } });
    expect(body).not.toHaveProperty('userName');
  });

  it.each([
    ['POST', '/Users', { userName: 'dry' }],
    ['PUT', '/Users/ID', { userName: 'dry' }],
    ['PATCH', '/Users/ID', { Operations: [{ op: 'add', path: 'active', value: false }] }],
    ['DELETE', '/Users/ID', undefined],
    ['POST', '/Groups', { displayName: 'dry' }],
  ])('refuses a dry run of %s %s, and changes nothing', async (method, path, body) => {
    const id = await directory.created({ userName: `wet of ${method} ${path}` });
    const before = await server.snapshot();
    const answer = await directory.call(method, `${path.replace('ID', id)}?dryRun=yes`, body);
    expectScimError(answer, 400, 'E0045R parameters.noDryRun');
    expect(await server.snapshot()).toBe(before);
  });

  it('ignores parameters of features that are off, and the flag of Entra', async () => {
    const query = 'sortBy=userName&sortOrder=descending&cursor=&count=1&aadOptscim062020';
    expect((await directory.call('GET', `/Users?${query}`)).status).toBe(200);
  });

  it('renames a user, who keeps keys and ID; the old name leads to nobody', async () => {
    const id = await directory.created({ userName: 'dora', displayName: 'Dora' });
    const dora = new FidoClient(server.url);
    expect((await dora.register('dora')).status).toBe(200);
    const renamed = await directory.replace(id, { userName: 'dora.smith', displayName: 'Dora S.' });
    expect(renamed).toMatchObject({ status: 200, body: { id, userName: 'dora.smith' } });
    expect((await dora.signIn('dora.smith')).body).toMatchObject({ displayName: 'Dora S.' });
    expect((await directory.find('userName eq "dora"')).body).toMatchObject({ totalResults: 0 });
    expect(await rowsAbout('dora')).toEqual(['user.rename ok', 'user.create ok']);
  });

  it('keeps what a PUT does not name, and changes nothing without a difference', async () => {
    const user = { userName: 'erik', displayName: 'Erik', externalId: 'e-9' };
    const id = await directory.created(user);
    const before = await directory.user(id);
    for (const same of [user, { userName: 'erik' }, { ...user, emails: [{ value: 'x' }] }]) {
      expect((await directory.replace(id, same)).body).toEqual(before.body);
    }
    expect(await rowsAbout('erik')).toEqual(['user.create ok']);
    await directory.patchUser(id, { op: 'remove', path: 'externalId' });
    expect((await directory.user(id)).body).not.toHaveProperty('externalId');
    expect(await rowsAbout('erik')).toEqual(['user.change ok', 'user.create ok']);
  });

  it('refuses a misspelt attribute in every change, and changes nothing', async () => {
    const id = await directory.created({ userName: 'misspelt' });
    const before = await server.snapshot();
    const wrong = { userName: 'misspelt', acitve: false };
    for (const answer of [
      await directory.create({ ...wrong, userName: 'other' }),
      await directory.replace(id, wrong),
    ]) {
      expectScimError(answer, 400, 'E0045R scim.attribute', 'invalidSyntax');
      expect(answer.body['detail']).toMatch(/^"acitve" is no attribute/);
    }
    const patched = await directory.patchUser(id, { op: 'replace', value: { acitve: false } });
    expectScimError(patched, 400, 'E0045R scim.path', 'invalidPath');
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const group = await directory.create({ userName: 'other', schemas });
    expectScimError(group, 400, 'E0045R scim.schema', 'invalidSyntax');
    expect(await server.snapshot()).toBe(before);
  });

  it('compares ETags', async () => {
    const id = await directory.created({ userName: 'fay' });
    const { headers } = await directory.user(id);
    const tag = String(headers.get('etag'));
    const unchanged = await directory.call('GET', `/Users/${id}`, undefined, {
      'if-none-match': tag,
      // Otherwise `fetch` asks for an answer that no cache has.
      'cache-control': 'max-age=0',
    });
    expect(unchanged.status).toBe(304);
    const change = (etag: string) =>
      directory.call(
        'PUT',
        `/Users/${id}`,
        { userName: 'fay', displayName: 'Fay' },
        {
          'if-match': etag,
        },
      );
    expect((await change(tag)).status).toBe(200);
    expectScimError(await change(tag), 412, 'E0053R resource.changed');
    const deletion = await directory.call('DELETE', `/Users/${id}`, undefined, { 'if-match': tag });
    expectScimError(deletion, 412, 'E0053R resource.changed');
    for (const wrong of ['foo', '"abc"', '', tag.slice(2)]) {
      expectScimError(await change(wrong), 412, 'E0053R resource.noTag');
    }
    expect((await change('*')).status).toBe(200);
  });

  it('issues an invitation whose link is in the answer once', async () => {
    const { status, body, headers } = await directory.create({
      userName: 'gus',
      [ENROLMENT]: { enrol: true },
    });
    expect(status).toBe(201);
    const { enrolmentUrl } = body[ENROLMENT] as { enrolmentUrl: string };
    expect(enrolmentUrl).toMatch(/\/enrol\?relyingParty=localhost#[\w-]{22}$/);
    const id = String(body['id']);
    expect((await directory.user(id)).body).not.toHaveProperty([ENROLMENT]);
    expect(await rowsAbout('gus')).toEqual(['invitation.issue ok', 'user.create ok']);
    expect((await directory.user(id)).headers.get('etag')).toBe(headers.get('etag'));
    const code = enrolmentUrl.slice(enrolmentUrl.indexOf('#') + 1);
    const gus = new FidoClient(server.url);
    expect((await gus.register('gus', { invitation: code })).status).toBe(200);
    const again = await directory.patchUser(id, {
      op: 'add',
      path: `${ENROLMENT}:enrol`,
      value: true,
    });
    expect(again.body).toHaveProperty([ENROLMENT, 'enrolmentUrl']);
  });

  it('deletes a user with all keys, which the help desk can undo', async () => {
    const id = await directory.created({ userName: 'hugo', externalId: 'h-1' });
    const hugo = new FidoClient(server.url);
    expect((await hugo.register('hugo')).status).toBe(200);
    const deleted = await directory.call('DELETE', `/Users/${id}`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expectScimError(await directory.user(id), 404, 'E0044R user.unknown');
    expectScimError(await directory.call('DELETE', `/Users/${id}`), 404, 'E0044R user.unknown');
    expect((await hugo.beginAuthentication('hugo')).status).toBe(403);
    const page = await new AdminClient(server.url).get('/userapi/user?rp=localhost&name=hugo', {
      accept: 'text/html',
    });
    expect(page.text).toContain('action="/userapi/undo"');
    const next = await directory.created({ userName: 'hugo', externalId: 'h-1' });
    expect(next).not.toBe(id);
  });

  it('follows the case rule of the policy', async () => {
    const domain = 'folding.example';
    await server.addRelyingParty('default', {
      domain,
      policy: { usernames: 'case-insensitive' },
    });
    const folding = await ScimClient.start(server.url, { tenant: 'default', domain });
    const id = await folding.created({ userName: 'Ida@Example.com' });
    const again = await folding.create({ userName: 'ida@example.com' });
    expectScimError(again, 409, 'E0045R user.nameTaken', 'uniqueness');
    expect((await folding.find('userName eq "IDA@example.COM"')).body).toMatchObject({
      totalResults: 1,
      Resources: [{ id, userName: 'Ida@Example.com' }],
    });
  });
});
