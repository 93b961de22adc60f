import { jest } from '@jest/globals';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { KeyOwner } from '../../src/fido/my-keys/key-owner.js';
import { bearer } from '../support/application-keys.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const RELYING_PARTY = '/tenantapi/tenants/default/relying-parties/localhost';
const NO_SYNCED_KEYS = { backupEligible: 'refused', onFinding: 'refuse-next-sign-in' };

describe.each(DATABASES)('tokens of keys that a rule refuses, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    const options = { registration: 'first-only' } as const;
    server = await TestServer.start({ on, options, speed: BY_HAND });
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());
  afterEach(() => setPolicy({}));

  const setPolicy = async (policy: object) => {
    expect((await admin.patch(RELYING_PARTY, { policy })).status).toBe(200);
    await evaluateKeys(server);
  };
  const signedIn = async (username: string) => {
    const authenticator = new SoftAuthenticator({ backupEligible: true });
    const user = await FidoClient.registered(server.url, username, { authenticator });
    const token = bearer(String((await user.signIn(username)).body['token']));
    return { user, token };
  };
  const begin = (client: FidoClient, username: string, token: Record<string, string>) =>
    client.post(client.paths.beginRegistration, { username, displayName: username }, token);

  it.each(['rename', 'delete'] as const)(
    'permit no user to %s a key, also if the refusal begins at the same moment (E0043R)',
    async (change) => {
      const name = `greta-${change}`;
      const { user, token } = await signedIn(name);
      const path = `/fidoapi/keys/${user.keyId}`;
      const run = () =>
        change === 'rename'
          ? user.patch(path, { deviceName: 'Mine' }, token)
          : user.send(`${path}?confirm=last`, { method: 'DELETE', headers: token });
      const owner = server.get(KeyOwner);
      const find = owner.changer.bind(owner);
      jest.spyOn(owner, 'changer').mockImplementationOnce(async (...call) => {
        const found = await find(...call);
        await setPolicy(NO_SYNCED_KEYS);
        return found;
      });
      expectRefusal(await run(), 'E0043R');
      expectRefusal(await run(), 'E0043R');
      const [stored] = await admin.list(name);
      expect(stored?.credentials).toMatchObject([{ deviceName: 'Security key', enabled: true }]);
    },
  );

  it('permit no further key, nor the end of a registration that they began (E0043R)', async () => {
    const { token } = await signedIn('hugo');
    const other = new FidoClient(server.url);
    const begun = await begin(other, 'hugo', token);
    await setPolicy(NO_SYNCED_KEYS);
    const before = await server.snapshot();
    expectRefusal(await other.completeRegistration(other.create(begun)), 'E0043R');
    expectRefusal(await begin(other, 'hugo', token), 'E0043R');
    expect(await server.snapshot()).toBe(before);
  });
});
