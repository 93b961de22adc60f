import { InvitationIssue } from '../../src/invitations/invitation-issue.js';
import { ScimUserFinder } from '../../src/scim/users/scim-user-finder.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import type { Answer } from '../support/client.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { ENROLMENT, ScimClient, expectScimError } from '../support/scim-client.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';
const ROUNDS = 5;

describe.each(DATABASES)('simultaneous changes by SCIM, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true, domain: 'localhost' } });
    directory = await ScimClient.start(server.url, { tenant: 'default', domain: 'localhost' });
  });
  afterAll(() => server.stop());

  /** Makes another change once, after the next read of that kind. */
  const afterNext = (method: 'get' | 'ensureFree', change: () => Promise<unknown>) => {
    const finder = server.get(ScimUserFinder);
    const read = finder[method].bind(finder) as (...args: unknown[]) => Promise<unknown>;
    const restored = { [method]: read };
    const interrupted = async (...args: unknown[]) => {
      Object.assign(finder, restored);
      const result = await read(...args);
      await change();
      return result;
    };
    Object.assign(finder, { [method]: interrupted });
  };
  const renamed = (username: string, newUsername: string, domain: string) =>
    new AdminClient(server.url, domain).patch('/userapi/users', { username, newUsername });
  const tagOf = async (id: string) => String((await directory.user(id)).headers.get('etag'));
  const put = (id: string, user: object, etag: string) =>
    directory.call('PUT', `/Users/${id}`, user, { 'if-match': etag });

  it('simultaneous changes of one version are stored once', async () => {
    const id = await directory.created({ userName: 'anna', displayName: 'Anna' });
    const etag = await tagOf(id);
    let first: Promise<{ status: number }> | undefined;
    afterNext('get', () => (first = put(id, { userName: 'anna', displayName: 'First' }, etag)));
    const second = await put(id, { userName: 'anna', displayName: 'Second' }, etag);
    expect((await first)?.status).toBe(200);
    expectScimError(second, 412, 'E0053R resource.changed');
    expect((await directory.user(id)).body).toMatchObject({ displayName: 'First' });
  });

  it('a deletion by SCIM does not delete a user who has changed since', async () => {
    const id = await directory.created({ userName: 'bert' });
    const etag = await tagOf(id);
    afterNext('get', () => put(id, { userName: 'bert', displayName: 'Bert' }, etag));
    const deleted = await directory.call('DELETE', `/Users/${id}`, undefined, { 'if-match': etag });
    expectScimError(deleted, 412, 'E0053R resource.changed');
    expect((await directory.user(id)).body).toMatchObject({ displayName: 'Bert' });
  });

  it('delete a user who is renamed in the meantime', async () => {
    const id = await directory.created({ userName: 'carl' });
    afterNext('get', () => renamed('carl', 'carla', 'localhost'));
    expect((await directory.call('DELETE', `/Users/${id}`)).status).toBe(204);
    expectScimError(await directory.user(id), 404, 'E0044R user.unknown');
  });

  it('leave nothing half-done if one of them is refused', async () => {
    const id = await directory.created({ userName: 'dora', displayName: 'Dora', externalId: 'd' });
    const before = await directory.user(id);
    const user = { userName: 'dora.new', displayName: 'New', externalId: 'd-2', active: false };
    afterNext('ensureFree', () => directory.created({ userName: 'emil', externalId: 'd-2' }));
    const refused = await directory.replace(id, user);
    expectScimError(refused, 409, 'E0045R scim.externalIdTaken', 'uniqueness');
    expect((await directory.user(id)).body).toEqual(before.body);
  });

  it.each<[string, (name: string) => Promise<unknown>]>([
    [
      'to whom the name was given',
      async (name) => {
        expect((await renamed(name, `${name}.old`, 'localhost')).status).toBe(200);
        await directory.created({ userName: name });
      },
    ],
    [
      'who is suspended',
      (username) =>
        new AdminClient(server.url, 'localhost').post('/userapi/users/suspension', {
          username,
          suspended: true,
        }),
    ],
  ])('issue no invitation to somebody %s meanwhile', async (case_, change) => {
    const name = `invited.${case_.length}`;
    const id = await directory.created({ userName: name });
    const issue = server.get(InvitationIssue);
    const { prepare } = issue;
    issue.prepare = async (...args) => {
      issue.prepare = prepare;
      await change(name);
      return prepare.apply(issue, args);
    };
    const enrol = { op: 'add', path: `${ENROLMENT}:enrol`, value: true };
    const answer = await directory.patchUser(id, enrol);
    expectScimError(answer, 503, 'E0052R user.changing');
    expect(await countOf(server, 'invitations WHERE username = ?', Buffer.from(name))).toBe(0);
  });

  it('delete nobody at the predecessor to whom the name was given meanwhile', async () => {
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [`https://${NEW}`] });
    await server.addRelyingParty('acme', { domain: NEW });
    const at = { relyingParty: OLD };
    const [gina, fred] = [new FidoClient(server.url, at), new FidoClient(server.url, at)];
    expect((await gina.register('fred')).status).toBe(200);
    expect((await renamed('fred', 'gina', OLD)).status).toBe(200);
    expect((await fred.register('fred')).status).toBe(200);
    const tenancy = server.get(TenancyService);
    const ticket = { registration: 'ticket' } as const;
    await tenancy.changeRelyingParty(server.call, 'acme', OLD, { policy: ticket });
    await tenancy.changeRelyingParty(server.call, 'acme', NEW, { predecessor: OLD });
    const acme = await ScimClient.start(server.url, { tenant: 'acme', domain: NEW });
    const fredId = await acme.created({ userName: 'fred' });
    const ginaId = await acme.created({ userName: 'gina' });
    afterNext('get', async () => {
      // She had this name before.
      const changes = [
        await acme.replace(fredId, { userName: 'fred.old' }),
        await acme.replace(ginaId, { userName: 'fred' }),
      ];
      expect(changes.map(({ status }) => status)).toEqual([200, 200]);
    });
    expect((await acme.call('DELETE', `/Users/${fredId}`)).status).toBe(204);
    expect((await gina.signIn('fred')).status).toBe(200);
    expectScimError(await acme.user(fredId), 404, 'E0044R user.unknown');
  });
});

describe.each(DATABASES)('simultaneous changes by SCIM at two instances, on %s', (on) => {
  let database: TestDatabase;
  let servers: readonly TestServer[];
  let directories: readonly [ScimClient, ScimClient];
  beforeAll(async () => {
    database = await createServerDatabase(on);
    const options = { scim: true, domain: 'localhost' };
    const first = await TestServer.start({ database, options });
    const second = await TestServer.start({ database, options });
    servers = [first, second];
    const place = { tenant: 'default', domain: 'localhost' };
    const { secret } = await issueKey(first.url, { tenant: 'default', scopes: ['scim'] });
    directories = [
      new ScimClient(first.url, secret, place),
      new ScimClient(second.url, secret, place),
    ];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.remove();
  });

  const statuses = async (answers: readonly Promise<Answer>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort();
  const displayName = (value: string) => ({
    Operations: [{ op: 'replace', path: 'displayName', value }],
  });

  it('store one of two changes of the same version of a user', async () => {
    const [here] = directories;
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await here.created({ userName: `versioned-${round}` });
      const tag = { 'if-match': String((await here.user(id)).headers.get('etag')) };
      const answers = directories.map((directory, n) =>
        directory.call('PATCH', `/Users/${id}`, displayName(`Name ${n}`), tag),
      );
      expect(await statuses(answers)).toEqual([200, 412]);
    }
  });

  it('store one of two changes of the same version of a group', async () => {
    const [here] = directories;
    for (let round = 0; round < ROUNDS; round += 1) {
      const members = [await here.created({ userName: `grouped-${round}` })];
      const made = await here.createGroup({ displayName: `versioned-${round}` });
      const path = `/Groups/${String(made.body['id'])}`;
      const tag = { 'if-match': String(made.headers.get('etag')) };
      const value = members.map((one) => ({ value: one }));
      const adding = { Operations: [{ op: 'add', path: 'members', value }] };
      const answers = [
        directories[0].call('PATCH', path, adding, tag),
        directories[1].call('PATCH', path, displayName(`renamed-${round}`), tag),
      ];
      expect(await statuses(answers)).toEqual([204, 412]);
    }
  });

  it('simultaneous changes of different attributes and groups are all stored', async () => {
    const [here, there] = directories;
    const { body: group } = await here.createGroup({ displayName: 'joined by all' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await here.created({ userName: `together-${round}` });
      const joining = { op: 'add', path: 'members', value: [{ value: id }] };
      const answers = [
        here.patchUser(id, { op: 'replace', path: 'active', value: false }),
        there.patchUser(id, { op: 'replace', path: 'displayName', value: 'Together' }),
        there.patchUser(id, { op: 'add', path: 'externalId', value: `t-${round}` }),
        here.patchGroup(String(group['id']), joining),
      ];
      expect(await statuses(answers)).toEqual([200, 200, 200, 204]);
      expect((await there.user(id)).body).toMatchObject({
        active: false,
        displayName: 'Together',
        externalId: `t-${round}`,
        groups: [{ display: 'joined by all' }],
      });
    }
  });
});
