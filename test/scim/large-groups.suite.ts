import { jest } from '@jest/globals';
import { ApiError } from '../../src/platform/errors/api-error.js';
import { ListReaders } from '../../src/platform/access/limits/concurrency-limit.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { GroupMembers } from '../../src/scim/groups/group-members.js';
import { ScimGroupFinder } from '../../src/scim/groups/scim-group-finder.js';
import { ScimGroupRenames } from '../../src/scim/groups/scim-group-renames.js';
import { SearchFilling } from '../../src/users/search/search-filling.js';
import { issueKey } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { fillTable } from '../support/schema/filled-table.js';
import { ScimClient, expectScimError } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';

const PLACE = { tenant: 'default', domain: 'localhost' };
/** More than a body can name. */
const MANY = 50_000;
/** Several slices. */
const SOME = 600;

describe.each(DATABASES)('large groups of a directory, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true, domain: 'localhost' } });
    directory = await ScimClient.start(server.url, PLACE);
    // Otherwise this job reads the users below, some of them in the moment in which a test counts what is read.
    await server.get(SearchFilling).catchUp();
  });
  afterAll(() => server.stop());

  const groupOf = (name: string, count: number) => filledGroup(server, directory, name, count);
  const valuesOf = (ids: readonly string[]) => ids.map((value) => ({ value }));

  it(`change one of ${MANY} members without reading the others`, async () => {
    const { id, ids } = await groupOf('many', MANY);
    const [first = '', second = ''] = ids;
    const newcomer = await directory.created({ userName: 'newcomer' });
    const database = server.get(Database);
    const query = database.query.bind(database) as (...args: unknown[]) => Promise<unknown[]>;
    let rows = 0;
    const counting = async (...args: unknown[]) => {
      const found = await query(...args);
      rows += found.length;
      return found;
    };
    Object.assign(database, { query: counting });
    const add = { op: 'add', path: 'members', value: [{ value: newcomer }] };
    expect((await directory.patchGroup(id, add)).status).toBe(204);
    const remove = { op: 'remove', path: `members[value eq "${first}"]` };
    expect((await directory.patchGroup(id, remove)).status).toBe(204);
    Object.assign(database, { query });
    // Jobs read some rows meanwhile.
    expect(rows).toBeLessThan(MANY / 50);
    const found = await directory.call(
      'GET',
      '/Groups?excludedAttributes=members&filter=displayName%20eq%20%22many%22',
    );
    expect(found.text.length).toBeLessThan(1000);
    const { body } = await directory.call('GET', `/Groups/${id}`);
    const values = (body['members'] as { value: string }[]).map(({ value }) => value);
    expect(values).toHaveLength(MANY);
    expect([values.includes(newcomer), values.includes(first), values.includes(second)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('are answered without members after a change', async () => {
    const { id } = await groupOf('not repeated', 1001);
    const put = await directory.call('PUT', `/Groups/${id}`, { displayName: 'answered' });
    expect(put).toMatchObject({ status: 200, body: { displayName: 'answered' } });
    expect(Object.keys(put.body)).not.toContain('members');
    const { body } = await directory.call('GET', `/Groups/${id}`);
    expect(body['members']).toHaveLength(1001);
  });

  it('are read four at a time by a directory, and smaller groups without a limit', async () => {
    const large = await groupOf('large', 1000);
    const small = await groupOf('small', 999);
    const { key, secret } = await issueKey(server.url, { tenant: 'default', scopes: ['scim'] });
    const reader = new ScimClient(server.url, secret, PLACE);
    const { id, name } = key;
    const account = { name, role: 'key', key: { id, tenant: 'default', scopes: [] } } as const;
    const readers = server.get(ListReaders);
    const ends = Array.from({ length: 4 }, () => readers.begin(account));
    const refused = await reader.call('GET', `/Groups/${large.id}`);
    expect(refused.status).toBe(429);
    expectScimError(refused, 429, 'E0040R lists.tooManyReaders');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await reader.call('GET', `/Groups/${small.id}`)).status).toBe(200);
    expect((await directory.call('GET', `/Groups/${large.id}`)).status).toBe(200);
    for (const end of ends) end();
    for (let n = 0; n < 5; n += 1) {
      expect((await reader.call('GET', `/Groups/${large.id}`)).status).toBe(200);
    }
  });

  it('large groups are created, replaced and deleted in slices', async () => {
    const { ids } = await groupOf('source', SOME);
    const members = valuesOf(ids);
    const { status, body } = await directory.createGroup({ displayName: 'sliced', members });
    expect(status).toBe(201);
    expect(body['members']).toHaveLength(SOME);
    const id = String(body['id']);
    const kept = valuesOf(ids.slice(-50));
    const replaced = await directory.call('PUT', `/Groups/${id}`, {
      displayName: 'sliced again',
      members: kept,
    });
    expect(replaced).toMatchObject({ status: 200, body: { displayName: 'sliced again' } });
    expect(replaced.body['members']).toHaveLength(50);
    expect(await membersOf('sliced')).toBe(0);
    await directory.call('PUT', `/Groups/${id}`, { displayName: 'sliced again', members });
    expect(await membersOf('sliced again')).toBe(SOME);
    expect((await directory.call('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect(await membersOf('sliced again')).toBe(0);
  });

  it('are refused as a whole if one of many members is nobody', async () => {
    const { ids } = await groupOf('refused', SOME);
    const members = [...valuesOf(ids), { value: 'AAAAAAAAAAAAAAAAAAAAAA' }];
    const before = await server.snapshot();
    const answer = await directory.createGroup({ displayName: 'partly', members });
    expectScimError(answer, 400, 'E0045R scim.memberUnknown', 'invalidValue');
    expect(await server.snapshot()).toBe(before);
  });

  it('get a new name, although the call is interrupted', async () => {
    const { id, ids } = await groupOf('before', SOME);
    const database = server.get(Database);
    const commit = database.commit.bind(database);
    let left = 1;
    const interrupted: typeof commit = (unit, options) => {
      if (!options?.background || !options.ownTransaction) return commit(unit, options);
      left -= 1;
      if (left < 0) throw new Error('The server was killed.');
      return commit(unit, options);
    };
    Object.assign(database, { commit: interrupted });
    expect((await rename(id, 'after')).status).toBe(500);
    expect([await membersOf('before'), await membersOf('after')].every((n) => n > 0)).toBe(true);
    const { body } = await directory.call('GET', `/Groups/${id}`);
    expect(body['displayName']).toBe('after');
    expect(body['members']).toHaveLength(SOME);
    // Only now, since the server's own round of the job might finish the renaming before.
    Object.assign(database, { commit });
    await server.get(ScimGroupRenames).runNow();
    expect([await membersOf('before'), await membersOf('after')]).toEqual([0, SOME]);
    const remove = { op: 'remove', path: `members[value eq "${ids[0] ?? ''}"]` };
    await directory.patchGroup(id, remove);
    expect(await membersOf('after')).toBe(SOME - 1);
  });

  it('get a new name, although the job fails for groups before them', async () => {
    const broken = await groupOf('broken', 1);
    const { id } = await groupOf('half-way', 1);
    const unfinished = 'UPDATE directory_groups SET former_name = name, name = ? WHERE id = ?';
    const database = server.get(Database);
    await database.commit([
      ...[broken.id, id].map((one) => ({
        sql: unfinished,
        params: [Buffer.from(`new ${one}`), Buffer.from(one, 'base64url')],
      })),
    ]);
    const finder = server.get(ScimGroupFinder);
    const get = finder.get.bind(finder);
    jest.spyOn(finder, 'get').mockImplementation(async (rp, one) => {
      if (one === broken.id) throw new ApiError('E0044R', 'scim.groupUnknown');
      return get(rp, one);
    });
    await server.get(ScimGroupRenames).runNow();
    jest.restoreAllMocks();
    expect([await membersOf(`new ${broken.id}`), await membersOf(`new ${id}`)]).toEqual([0, 1]);
    await server.get(ScimGroupRenames).runNow();
    expect(await membersOf(`new ${broken.id}`)).toBe(1);
  });

  it('leave their former name to another group only when no member has it', async () => {
    const { id } = await groupOf('first name', SOME);
    const other = await directory.createGroup({ displayName: 'other name' });
    const answers = await Promise.all([
      rename(id, 'second name'),
      rename(String(other.body['id']), 'first name'),
    ]);
    for (const { status } of answers) expect([204, 409]).toContain(status);
    expect(answers[0]?.status).toBe(204);
    expect(await membersOf('second name')).toBe(SOME);
    expect(await membersOf('first name')).toBe(0);
  });

  it('keep the members whom two calls rename at the same time', async () => {
    const { id } = await groupOf('both rename', SOME);
    const members = server.get(GroupMembers);
    const find = members.find.bind(members);
    let noteSecondSlice = () => {};
    const secondSlice = new Promise<void>((resolve) => (noteSecondSlice = resolve));
    let noteEnd = () => {};
    const end = new Promise<void>((resolve) => (noteEnd = resolve));
    let job: Promise<void> | undefined;
    let asked = 0;
    const finding = jest.spyOn(members, 'find').mockImplementation(async (...slice) => {
      asked += 1;
      if (asked === 1) {
        // The job renames the members of the slice that the call is about to read.
        job = server.get(ScimGroupRenames).runNow();
        await secondSlice;
      } else if (asked === 3) {
        noteSecondSlice();
        await end;
      }
      return find(...slice);
    });
    const { status } = await rename(id, 'renamed by both');
    noteEnd();
    await job;
    finding.mockRestore();
    expect(status).toBe(204);
    expect(await membersOf('renamed by both')).toBe(SOME);
  });

  it('each of twenty groups that one user joins at the same time keeps the others', async () => {
    const groups = await Promise.all(
      Array.from({ length: 20 }, (_, n) => directory.createGroup({ displayName: `joined-${n}` })),
    );
    const [everywhere = '', ...others] = await Promise.all(
      Array.from({ length: 21 }, (_, n) => directory.created({ userName: `joining-${n}` })),
    );
    const answers = await Promise.all(
      groups.map(({ body }, n) => {
        const value = [{ value: everywhere }, { value: others[n] }];
        return directory.patchGroup(String(body['id']), { op: 'add', path: 'members', value });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(groups.map(() => 204));
    const { body } = await directory.user(everywhere);
    expect(body['groups']).toHaveLength(20);
    const events = await rowsOf<{ detail: string }>(
      server,
      "SELECT detail FROM events WHERE kind = 'user-groups-changed' AND username = ?",
      Buffer.from('joining-0'),
    );
    const counts = events.map(({ detail }) => detail.split(', ').length);
    expect(counts).toHaveLength(20);
    // Each change saw those before it; a detail has at most 100 characters.
    expect(counts).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });

  it('large groups take simultaneous changes of their members', async () => {
    const { id, ids } = await groupOf('crowd', 20);
    const newcomers = await Promise.all(
      ids.map((_, n) => directory.created({ userName: `crowd-newcomer-${n}` })),
    );
    const answers = await Promise.all([
      ...newcomers.map((value) =>
        directory.patchGroup(id, { op: 'add', path: 'members', value: [{ value }] }),
      ),
      ...ids.map((value) =>
        directory.patchGroup(id, { op: 'remove', path: `members[value eq "${value}"]` }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    const { body } = await directory.call('GET', `/Groups/${id}`);
    expect((body['members'] as { value: string }[]).map(({ value }) => value).sort()).toEqual(
      newcomers.sort(),
    );
  });

  function membersOf(name: string) {
    return countOf(server, 'user_groups WHERE name = ?', Buffer.from(name));
  }

  function rename(id: string, value: string) {
    return directory.patchGroup(id, { op: 'replace', path: 'displayName', value });
  }
});

describe('a group of a directory with more than 100,000 members', () => {
  it('is answered without them only', async () => {
    const server = await TestServer.start({ options: { scim: true, domain: 'localhost' } });
    try {
      const directory = await ScimClient.start(server.url, PLACE);
      const { id, ids } = await filledGroup(server, directory, 'huge', 100_001);
      const path = `/Groups/${id}`;
      const whole = await directory.call('GET', path);
      const found = await directory.find('displayName eq "huge"', 'Groups');
      for (const { status, text } of [whole, found]) {
        expect([status, text.length < 1000]).toEqual([400, true]);
      }
      expectScimError(whole, 400, 'E0045R scim.membersTooMany', 'tooMany');
      const brief = await directory.call('GET', `${path}?excludedAttributes=members`);
      expect(brief).toMatchObject({ status: 200, body: { displayName: 'huge' } });
      const remove = { op: 'remove', path: `members[value eq "${ids[0] ?? ''}"]` };
      expect((await directory.patchGroup(id, remove)).status).toBe(204);
      const { body } = await directory.call('GET', path);
      expect(body['members']).toHaveLength(100_000);
    } finally {
      await server.stop();
    }
  });
});

/** A group with new users of the directory as members. */
async function filledGroup(server: TestServer, directory: ScimClient, name: string, count: number) {
  const { body } = await directory.createGroup({ displayName: name });
  const { id, tenantId } = relyingPartyOf(server, 'localhost');
  const its = { relying_party_id: id, tenant_id: tenantId };
  const ids = Array.from({ length: count }, () => newId()).sort(Buffer.compare);
  const users = ids.map((userId, n) => ({
    ...its,
    id: userId,
    username: Buffer.from(`${name}-${n}`),
    user_handle: Buffer.concat([userId, userId]),
    directory: '{}',
  }));
  await fillTable(server, 'users', users);
  const members = ids.map((userId) => ({ ...its, name: Buffer.from(name), user_id: userId }));
  await fillTable(server, 'user_groups', members);
  return { id: String(body['id']), ids: ids.map((userId) => userId.toString('base64url')) };
}
