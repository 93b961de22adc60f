import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { DATABASES, REDIS_URL } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { ENROLMENT, ScimClient } from '../support/scim-client.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const PLACE = { tenant: 'default', domain: 'localhost' };
const USERS = 5;

describe.each(DATABASES)('a user whom a directory suspends, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true, domain: 'localhost' } });
    directory = await ScimClient.start(server.url, PLACE);
  });
  afterAll(() => server.stop());

  /** A user of the directory with a key. */
  const registered = async (userName: string) => {
    const id = await directory.created({ userName });
    const client = new FidoClient(server.url);
    expect((await client.register(userName)).status).toBe(200);
    return { id, client };
  };
  const helpDesk = (username: string, suspended: boolean) =>
    adminClient(server.url).post('/userapi/users/suspension', { username, suspended });

  it.each<[string, object]>([
    ['Entra, with a path', { op: 'Replace', path: 'active', value: 'False' }],
    ['Entra and Okta, without a path', { op: 'replace', value: { active: false } }],
  ])('cannot sign in after a PATCH of %s, until active is true again', async (name, operation) => {
    const userName = name.slice(0, 9);
    const { id, client } = await registered(userName);
    const answer = await directory.patchUser(id, operation as { op: string });
    expect(answer).toMatchObject({ status: 200, body: { active: false } });
    expect((await client.beginAuthentication(userName)).status).toBe(403);
    const again = await directory.patchUser(id, { op: 'replace', path: 'active', value: 'True' });
    expect(again.body).toMatchObject({ active: true });
    expect((await client.signIn(userName)).status).toBe(200);
  });

  it('a suspension by SCIM refuses a sign-in that began before', async () => {
    const { id, client } = await registered('begun');
    const begun = await client.beginAuthentication('begun');
    await directory.replace(id, { userName: 'begun', active: false });
    const { status } = await client.completeAuthentication(client.assert(begun));
    expect(status).toBe(403);
  });

  it('stays suspended by the help desk, which stays suspended by the directory', async () => {
    const { id, client } = await registered('both');
    await directory.patchUser(id, { op: 'replace', path: 'active', value: false });
    expect((await helpDesk('both', true)).status).toBe(200);
    await directory.patchUser(id, { op: 'replace', path: 'active', value: true });
    expect((await directory.user(id)).body).toMatchObject({ active: true });
    expect((await client.beginAuthentication('both')).status).toBe(403);
    await directory.patchUser(id, { op: 'replace', path: 'active', value: false });
    expect((await helpDesk('both', false)).status).toBe(200);
    expect((await client.beginAuthentication('both')).status).toBe(403);
    await directory.patchUser(id, { op: 'replace', path: 'active', value: true });
    expect((await client.signIn('both')).status).toBe(200);
  });

  it('a user may be created suspended by SCIM', async () => {
    const { body } = await directory.create({ userName: 'later', active: false });
    expect(body).toMatchObject({ active: false });
    const client = new FidoClient(server.url);
    expect((await client.beginRegistration('later')).status).toBe(403);
    await directory.patchUser(String(body['id']), { op: 'replace', value: { active: true } });
    expect((await client.register('later')).status).toBe(200);
  });

  it('is suspended before the same change does anything else, and gets no invitation', async () => {
    const { id } = await registered('leaving');
    const { status, body } = await directory.replace(id, {
      userName: 'left',
      externalId: 'l-1',
      active: false,
      [ENROLMENT]: { enrol: true },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { active: false } });
    expect(body).toMatchObject({ userName: 'left', externalId: 'l-1' });
    expect(body).not.toHaveProperty([ENROLMENT]);
    const { body: trail } = await adminClient(server.url).get('/userapi/audit?target=leaving');
    const actions = (trail['entries'] as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(['user.rename', 'user.suspend', 'user.create']);
  });

  it('is suspended although somebody renames the user at the same time', async () => {
    for (let n = 0; n < 2 * USERS; n += 1) {
      const id = await directory.created({ userName: `renamed-${n}` });
      const rename = { op: 'replace', path: 'userName', value: `renamed-${n}-new` };
      const answers = await Promise.all([
        directory.patchUser(id, rename),
        directory.patchUser(id, { op: 'replace', path: 'active', value: false }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const { body } = await directory.user(id);
      expect(body).toMatchObject({ userName: `renamed-${n}-new`, active: false });
    }
  });

  it('is suspended in the audit trail and in lists of users', async () => {
    const { id } = await registered('listed');
    await directory.patchUser(id, { op: 'replace', path: 'active', value: false });
    await directory.patchUser(id, { op: 'replace', path: 'active', value: false });
    const { body } = await adminClient(server.url).get('/userapi/audit?target=listed');
    const actions = (body['entries'] as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(['user.suspend', 'user.create']);
    const { body: list } = await new AdminClient(server.url, 'localhost').manage({
      filter: 'listed',
    });
    expect(list['users']).toMatchObject([{ suspendedBy: ['directory'] }]);
  });

  it('can sign in at no instance once the answer has come', async () => {
    const database = await createServerDatabase(on);
    const sessions = on === 'MariaDB' && REDIS_URL !== undefined ? { sessions: REDIS_URL } : {};
    const options = { scim: true, domain: 'localhost', ...sessions };
    const instances = [
      await TestServer.start({ database, options }),
      await TestServer.start({ database, options }),
    ] as const;
    const [one, two] = instances;
    try {
      const leavers = await ScimClient.start(one.url, PLACE);
      for (let n = 0; n < USERS; n += 1) {
        const userName = `leaver-${n}`;
        const id = await leavers.created({ userName });
        const here = new FidoClient(one.url);
        expect((await here.register(userName)).status).toBe(200);
        const { authenticator } = here;
        const there = new FidoClient(two.url, { authenticator });
        expect((await there.signIn(userName)).status).toBe(200);
        const [begunHere, begunThere] = await Promise.all(
          [here, there].map((client) => client.beginAuthentication(userName)),
        );
        const suspended = await leavers.patchUser(id, {
          op: 'replace',
          path: 'active',
          value: false,
        });
        expect(suspended.status).toBe(200);
        for (const [client, begun] of [
          [here, begunHere],
          [there, begunThere],
        ] as const) {
          if (!begun) throw new Error('not begun');
          expect((await client.completeAuthentication(client.assert(begun))).status).toBe(403);
          expect((await client.beginAuthentication(userName)).status).toBe(403);
        }
      }
    } finally {
      for (const instance of instances) await instance.stop();
      await database.remove();
    }
  });
});
