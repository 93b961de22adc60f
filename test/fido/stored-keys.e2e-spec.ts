import { Database } from '../../src/database/database.js';
import { SoftAuthenticator } from '../support/authenticator/soft-authenticator.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('stored public keys on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('one public key under two credential IDs merges no accounts (K25)', async () => {
    const [anna, ben] = [new FidoClient(server.url), new FidoClient(server.url)];
    expect((await anna.register('anna')).status).toBe(200);
    const begun = await ben.beginRegistration('ben');
    const { keyPair } = anna.authenticator.credentials[0] ?? {};
    if (keyPair === undefined) throw new Error('There is no credential.');
    const copy = new SoftAuthenticator({ keyPair });
    const bodyOfBen = new FidoClient(server.url, { authenticator: copy }).create(begun);
    expect((await ben.completeRegistration(bodyOfBen)).status).toBe(200);
    expect(await anna.signIn('anna')).toMatchObject({ status: 200, body: { username: 'anna' } });
    const asBen = await anna.beginAuthentication('ben');
    expectRefusal(
      await anna.completeAuthentication(
        anna.assert({ ...asBen, body: { ...asBen.body, allowCredentials: [] } }),
      ),
      'E0033R',
    );
  });

  it('a stored key that was altered signs nobody in, and stops nothing (K27)', async () => {
    const [carl, dora] = [new FidoClient(server.url), new FidoClient(server.url)];
    expect((await carl.register('carl')).status).toBe(200);
    expect((await dora.register('dora')).status).toBe(200);
    const id = carl.authenticator.credentials[0]?.id ?? Buffer.of();
    const sql = 'UPDATE credentials SET public_key = ? WHERE credential_id = ?';
    const params = [Buffer.from('garbage'), id];
    await server.get(Database).commit([{ sql, params, guard: true }]);
    expectRefusal(await carl.signIn('carl'), 'E0039R');
    expect((await dora.signIn('dora')).status).toBe(200);
  });
});
