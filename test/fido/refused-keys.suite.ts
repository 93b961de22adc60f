import { jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { KeyOwner } from '../../src/fido/my-keys/key-owner.js';
import { bearer } from '../support/application-keys.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const RELYING_PARTY = '/tenantapi/tenants/default/relying-parties/localhost';
const TENANT = '/tenantapi/tenants/acme/relying-parties';
const OLD = 'old.example';
const NEW = 'new.example';
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
  /** A further key of the user, which no rule refuses, registered without user verification. */
  const addKey = async (username: string, token: Record<string, string>) => {
    const other = new FidoClient(server.url);
    const made = other.create(await begin(other, username, token), {
      flags: (flags) => flags & ~FLAGS.UV,
    });
    expect((await other.completeRegistration(made)).status).toBe(200);
    return other;
  };

  it.each(['rename', 'delete', 'report'] as const)(
    'permit no user to %s a key, also if the refusal begins at the same moment (E0043R)',
    async (change) => {
      const name = `greta-${change}`;
      const { user, token } = await signedIn(name);
      const path = `/fidoapi/keys/${(await addKey(name, token)).keyId}`;
      const calls = {
        rename: () => user.patch(path, { deviceName: 'Mine' }, token),
        delete: () => user.send(`${path}?confirm=last`, { method: 'DELETE', headers: token }),
        report: () => user.post(`${path}/report`, {}, token),
      };
      const run = calls[change];
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
      expect(stored?.credentials).toMatchObject([
        { deviceName: 'Security key', enabled: true },
        { deviceName: 'Security key (2)', enabled: true },
      ]);
    },
  );

  it('are no second factor if the refusal begins during the sign-in', async () => {
    const { token } = await signedIn('ida');
    const other = await addKey('ida', token);
    const begun = await other.post(other.paths.beginAuthentication, { username: 'ida' }, token);
    await setPolicy(NO_SYNCED_KEYS);
    expect((await other.completeAuthentication(other.assert(begun))).status).toBe(200);
    const { body } = await other.signIn('ida');
    expect(decodeJwt(String(body['token']))['amr']).not.toContain('mfa');
  });

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

  it('permit no key at the new domain of a move if the refusal begins during the upgrade (E0043R)', async () => {
    const change = async (domain: string, body: object) =>
      expect((await admin.patch(`${TENANT}/${domain}`, body)).status).toBe(200);
    const authenticator = new SoftAuthenticator({ backupEligible: true });
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [`https://${NEW}`] });
    await FidoClient.registered(server.url, 'jana', { relyingParty: OLD, authenticator });
    await change(OLD, { policy: { registration: 'ticket' } });
    await server.addRelyingParty('acme', { domain: NEW, predecessor: OLD });
    const jana = new FidoClient(server.url, { relyingParty: NEW, authenticator });
    const answer = await jana.signIn('jana');
    await change(OLD, { policy: { registration: 'ticket', ...NO_SYNCED_KEYS } });
    await evaluateKeys(server);
    const before = await server.snapshot();
    expectRefusal(await jana.upgrade(answer), 'E0043R');
    expect(await server.snapshot()).toBe(before);
  });
});
