import { issueKey } from '../support/application-keys.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const WEBHOOK = { tenant: 'acme', url: 'https://app.example/hook', events: ['registration'] };

describe.each(DATABASES)('versions of resources on %s', (on) => {
  let database: TestDatabase;
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    database = await createServerDatabase(on);
    here = await TestServer.start({ database });
    there = await TestServer.start({ database });
    await here.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await database.remove();
  });

  const webhook: Resource = {
    title: 'a webhook',
    member: 'webhook',
    address: async () => {
      const { body } = await adminClient(here.url).post('/tenantapi/webhooks', WEBHOOK);
      return `/tenantapi/webhooks/${(body['webhook'] as { id: string }).id}`;
    },
    changes: [{ events: ['clone-alarm'] }, { enabled: false }],
  };

  describe.each([...resources(), webhook])('of $title', ({ address, changes, member }) => {
    let path: string;
    beforeAll(async () => {
      path = await address();
    });

    it('refuses a change of a state that another instance changed, and returns the current tag', async () => {
      const first = await read(path);
      const tag = tagOf(first);
      expect(tag).toBe(`"${String(versionIn(first, member))}"`);
      const changed = await send(there, 'PATCH', path, { tag, body: changes[0] });
      expect(changed).toMatchObject({ status: 200 });
      expect(tagOf(changed)).not.toBe(tag);
      const late = await send(here, 'PATCH', path, { tag, body: changes[1] });
      expect(late).toMatchObject({
        status: 412,
        body: { errorCode: 'E0053R', reason: 'resource.changed' },
      });
      const now = await read(path);
      expect(tagOf(late)).toBe(tagOf(now));
      expect(tagOf(now)).toBe(tagOf(changed));
      expect(await send(here, 'PATCH', path, { tag: tagOf(now), body: changes[1] })).toMatchObject({
        status: 200,
      });
    });

    it('accepts one of several changes of a state, at any instance', async () => {
      const tag = tagOf(await read(path));
      const answers = await Promise.all(
        [here, there, here, there].map((server, n) =>
          send(server, 'PATCH', path, { tag, body: changes[n % 2] as object }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    });

    it('accepts a tag without quotes, which is the version in the answer', async () => {
      const patch = async (tag: string) =>
        (await send(here, 'PATCH', path, { tag, body: changes[0] })).status;
      const bare = tagOf(await read(path)).slice(1, -1);
      expect(await patch(`1, ${bare}`)).toBe(200);
      expect(await patch(bare)).toBe(412);
      expect(await patch(`W/${tagOf(await read(path)).slice(1, -1)}`)).toBe(412);
    });

    it('accepts lists of tags and the star, but no weak tag', async () => {
      const patch = async (tag: string) =>
        (await send(here, 'PATCH', path, { tag, body: changes[0] })).status;
      expect(await patch(`"1", ${tagOf(await read(path))}`)).toBe(200);
      expect(await patch('*')).toBe(200);
      expect(await patch(`W/${tagOf(await read(path))}`)).toBe(412);
      expect(await patch('nonsense')).toBe(412);
    });

    it.each(['nonsense', '"abc"', 'W/"1"', '""', '"1-1"', 'W/"AAAAAAAAAAAAAAAAAAAA"'])(
      'says that %s is no tag of an earlier answer',
      async (tag) => {
        const answer = await send(here, 'PATCH', path, { tag, body: changes[0] });
        expect(answer).toMatchObject({
          status: 412,
          body: { errorCode: 'E0053R', reason: 'resource.noTag' },
        });
        expect(tagOf(answer)).toBe(tagOf(await read(path)));
      },
    );

    it('says that an empty If-Match is no tag of an earlier answer', async () => {
      const answer = await adminClient(here.url).patch(path, changes[0], { 'if-match': '' });
      expect(answer).toMatchObject({ status: 412, body: { reason: 'resource.noTag' } });
    });

    it('lets the last change win without a tag', async () => {
      for (const server of [here, there]) {
        expect(await send(server, 'PATCH', path, { body: changes[0] })).toMatchObject({
          status: 200,
        });
      }
    });
  });

  it('deletes only an unchanged resource', async () => {
    const path = await webhook.address();
    const tag = tagOf(await read(path));
    await send(there, 'PATCH', path, { body: webhook.changes[0] });
    expect(await send(here, 'DELETE', path, { tag })).toMatchObject({ status: 412 });
    const now = tagOf(await read(path));
    expect(await send(here, 'DELETE', path, { tag: now })).toMatchObject({ status: 200 });
    expect(await read(path)).toMatchObject({ status: 404 });
    await here.addRelyingParty('leaving', { domain: 'leaving.example' });
    const tenant = '/tenantapi/tenants/leaving';
    const party = `${tenant}/relying-parties/leaving.example`;
    for (const gone of [party, tenant]) {
      expect(await send(here, 'DELETE', gone, { tag: '"1"' })).toMatchObject({ status: 412 });
    }
    for (const gone of [party, tenant]) {
      const present = tagOf(await read(gone));
      expect(await send(here, 'DELETE', gone, { tag: present })).toMatchObject({ status: 200 });
    }
  });

  it('revokes only an unchanged application key', async () => {
    const { key } = await issueKey(here.url, { tenant: 'default', scopes: ['tickets'] });
    const path = `/tenantapi/keys/${key.id}`;
    const tag = tagOf(await read(path));
    for (const [wrong, reason] of [
      ['"1-1"', 'resource.changed'],
      ['"1"', 'resource.noTag'],
    ] as const) {
      const answer = await send(here, 'DELETE', path, { tag: wrong });
      expect(answer).toMatchObject({ status: 412, body: { reason } });
    }
    expect(await send(there, 'DELETE', path, { tag })).toMatchObject({ status: 200 });
    expect(tagOf(await read(path))).not.toBe(tag);
    expect(await send(here, 'DELETE', path, { tag })).toMatchObject({ status: 404 });
  });

  function send(
    server: TestServer,
    method: 'PATCH' | 'DELETE',
    path: string,
    { tag, body }: { tag?: string | null; body?: object },
  ): Promise<Answer> {
    return adminClient(server.url).sendJson(method, path, {
      body,
      headers: tag ? { 'if-match': tag } : {},
    });
  }

  function versionIn({ body }: Answer, member?: string) {
    return (member === undefined ? body : (body[member] as Answer['body']))['version'];
  }

  function read(path: string) {
    return adminClient(here.url).get(path);
  }

  function tagOf({ headers }: Answer) {
    return headers.get('etag') ?? '';
  }
});

function resources(): readonly Resource[] {
  return [
    {
      title: 'a tenant',
      address: () => Promise.resolve('/tenantapi/tenants/acme'),
      changes: [{ displayName: 'Acme one' }, { displayName: 'Acme two' }],
    },
    {
      title: 'a relying party',
      address: () => Promise.resolve('/tenantapi/tenants/acme/relying-parties/acme.example'),
      changes: [{ policy: { userVerification: 'required' } }, { name: 'Acme sign-in' }],
    },
  ];
}

/** A resource, and two changes of it. */
interface Resource {
  readonly title: string;
  /** Its address. */
  readonly address: () => Promise<string>;
  readonly changes: readonly [object, object];
  /** The member that holds it in answers; absent where it is the answer itself. */
  readonly member?: string;
}
