import { AuditHead, HEAD_RECORD } from '../../src/audit/chain/audit-head.js';
import { Database } from '../../src/platform/database/database.js';
import { adminClient } from '../support/client.js';
import { bearer } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('audit rows of users’ own changes, on %s', (on) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start({ on, options: { trustProxy: 1 } });
  });
  afterEach(() => server.stop());

  /** As after another instance has sealed the trail with a key that this one does not have. */
  async function sealElsewhere(): Promise<void> {
    const seal = ` ${'0'.repeat(16)} ${'0'.repeat(43)}`;
    const { text } = await server.get(AuditHead).record();
    const sql = 'UPDATE secrets SET value = ? WHERE name = ?';
    const isSealed = await server
      .get(Database)
      .commit([{ sql, params: [text + seal, HEAD_RECORD], mustChange: true }]);
    expect(isSealed).toBe(true);
  }
  const invite = async (username: string): Promise<string> => {
    const wish = { relyingParty: 'localhost', username };
    const { body } = await adminClient(server.url).post('/userapi/invitations', wish);
    return String(body['code']);
  };
  /** A signed-in user with two keys. */
  const newUser = async () => {
    const client = new FidoClient(server.url);
    const other = new FidoClient(server.url);
    await client.register('anna');
    await other.register('anna');
    const token = bearer(String((await client.signIn('anna')).body['token']));
    const id = other.keyId;
    const path = `/fidoapi/keys/${id}`;
    return {
      rename: (headers: Record<string, string> = {}) =>
        client.patch(path, { deviceName: 'Blue' }, { ...token, ...headers }),
      remove: () => client.sendJson('DELETE', path, { headers: token }),
    };
  };

  it('a user cannot rename or delete a key while audit rows cannot be written (E0052R)', async () => {
    const { rename, remove } = await newUser();
    await sealElsewhere();
    const before = await server.snapshot();
    for (const change of [rename, remove]) expectRefusal(await change(), 'E0052R', 503);
    expect(await server.snapshot()).toBe(before);
  });

  it('an invitation cannot begin or complete while audit rows cannot be written (E0052R)', async () => {
    const ben = new FidoClient(server.url);
    const cora = new FidoClient(server.url);
    const begun = await ben.beginRegistration('ben', { ticket: await invite('ben') });
    const code = await invite('cora');
    await sealElsewhere();
    const kept = async () =>
      JSON.stringify([await server.snapshot(), await rowsOf(server, 'SELECT * FROM invitations')]);
    const before = await kept();
    expectRefusal(await ben.completeRegistration(ben.create(begun)), 'E0052R', 503);
    const refused = await cora.beginRegistration('cora', { ticket: code });
    expect(refused).toMatchObject({ status: 503, body: { errorCode: 'E0052R' } });
    expect(await kept()).toBe(before);
    expect((await cora.register('dora')).status).toBe(200);
  });

  it('the audit row of a renamed key contains the full address of the user', async () => {
    const { rename } = await newUser();
    expect((await rename({ 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' })).status).toBe(200);
    const sql = "SELECT address FROM audit WHERE action = 'my-keys.rename'";
    expect(await rowsOf(server, sql)).toEqual([{ address: '2001:db8:1:2:3:4:5:6' }]);
  });
});
