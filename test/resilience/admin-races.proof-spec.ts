import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { fireTogether } from '../support/barrier.js';
import { BusyUsers } from '../support/busy-users.js';
import { adminClient } from '../support/client.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { sized } from '../support/harness.js';
import { DELETION } from '../support/list-upload.js';
import { Places } from '../support/settled-users.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const ROUNDS = sized(10);
const NEWCOMERS = sized(200);

describe.each(EVERY_DATABASE)('administration among signing-in users, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());

  it('refuses a sign-in that began before disableall and ends after its answer', async () => {
    const client = new FidoClient(server.url);
    expect((await client.register('anna')).status).toBe(200);
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = [
        await client.beginAuthentication('anna'),
        await client.beginAuthentication('anna'),
      ];
      const [racing, late] = begun.map((answer) => client.assert(answer));
      const [raced, disabled] = await Promise.all([
        client.completeAuthentication(racing),
        admin.managePost({ type: 'disableall', filter: 'anna' }),
      ]);
      expect(disabled.body).toMatchObject({ status: 'ok', credentials: 1 });
      expect([200, 403]).toContain(raced.status);
      expectRefusal(await client.completeAuthentication(late), 'E0034R');
      await admin.managePost({ type: 'enableall', filter: 'anna' });
    }
  });

  it('deletes by list without half deleted users or disturbed sign-ins', async () => {
    const names = Array.from({ length: 600 }, (_, n) => `leaver-${n}`);
    const users = names.map((username) => ({ username, devices: ['one', 'two'] }));
    const here = await new Places(server).open(...users);
    const busy = new BusyUsers([server.url], 4);
    let deleting = true;
    const deletion = here.post(DELETION, { users: names }).finally(() => (deleting = false));
    while (deleting) {
      for (const { credentials } of await here.list()) expect(credentials).toHaveLength(2);
    }
    expect((await deletion).body).toMatchObject({ status: 'ok', deleted: names.length });
    expect(await here.names()).toEqual([]);
    await busy.stop();
    expect(busy.told.filter(({ answer }) => answer.status !== 200)).toEqual([]);
  });

  it('enforces the requirements of the options while the policy changes continuously', async () => {
    const domain = 'changing.example';
    const path = `/tenantapi/tenants/changing/relying-parties/${domain}`;
    const policies = ['required', 'discouraged'].map((userVerification) => ({ userVerification }));
    await server.addRelyingParty('changing', { domain, policy: { userVerification: 'required' } });
    const asked = new Set<unknown>();
    let busy = true;
    const change = async () => {
      for (let n = 0; busy; n += 1) {
        const answer = await adminClient(server.url).patch(path, { policy: policies[n % 2] });
        expect(answer.status).toBe(200);
      }
    };
    const register = async () => {
      for (let n = 0; n < 200 && (n < 20 || asked.size < 2); n += 1) {
        const client = new FidoClient(server.url, {
          relyingParty: domain,
          authenticator: new SoftAuthenticator({ userVerified: false }),
        });
        const begun = await client.beginRegistration(`changed-${n}`);
        const selection = begun.body['authenticatorSelection'] as { userVerification: string };
        asked.add(selection.userVerification);
        const { status } = await client.completeRegistration(client.create(begun));
        // A policy that became stricter meanwhile may refuse too; one that became laxer permits nothing.
        const outcomes = selection.userVerification === 'required' ? [401] : [200, 401];
        expect(outcomes).toContain(status);
      }
    };
    await Promise.all([change(), register().finally(() => (busy = false))]);
    expect(asked.size).toBe(2);
  });

  it('registers everyone of a crowd at once', async () => {
    const shots = await Promise.all(
      Array.from({ length: NEWCOMERS }, async (_, n) => {
        const client = new FidoClient(server.url);
        const body = client.create(await client.beginRegistration(`crowd-${n}`));
        const headers = { ...client.headers, cookie: `${client.cookie}` };
        return { url: server.url + client.paths.completeRegistration, body, headers };
      }),
    );
    const answers = await fireTogether(shots);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await countOf(server, "users WHERE display_name LIKE 'crowd-%'")).toBe(NEWCOMERS);
  });
});
