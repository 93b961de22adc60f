import { randomBytes } from 'node:crypto';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { adminClient, type Answer, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { foreignKey, jsonLinesOf, postImport } from '../support/transfer.js';

const SHOP = 'shop.example';
const OLD = 'old.example';
const NEW = 'new.example';

describe.each(DATABASES)('new keys on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', {
      domain: SHOP,
      policy: { registration: 'ticket' },
      enrolmentUrl: `https://${SHOP}/enrol`,
    });
    await server.addRelyingParty('acme', {
      domain: OLD,
      relatedOrigins: [`https://${NEW}`],
      policy: { registration: 'ticket' },
    });
    await server.addRelyingParty('acme', {
      domain: NEW,
      policy: { registration: 'first-only' },
      predecessor: OLD,
    });
    const scopes = ['ceremonies', 'tickets'];
    secret = (await issueKey(server.url, { tenant: 'acme', scopes })).secret;
  });
  afterAll(() => server.stop());

  const at = (relyingParty: string, authenticator = new SoftAuthenticator()) =>
    new FidoClient(server.url, {
      relyingParty,
      origin: `https://${relyingParty}`,
      authenticator,
    });
  const backend = (relyingParty = SHOP) =>
    new Backend(server.url, secret, { relyingParty, origin: `https://${relyingParty}` });
  /** A ticket of an account, or of an application. */
  const ticketOf = async (issuer: Client, username: string, relyingParty = SHOP) =>
    (await issuer.post('/userapi/tickets', { username, relyingParty })).body['ticket'];
  /** Registers a key with a ticket of the account. */
  const withTicket = async (username: string, relyingParty = SHOP) => {
    const client = at(relyingParty);
    const ticket = await ticketOf(admin, username, relyingParty);
    expect((await client.register(username, { ticket })).status).toBe(200);
    return client;
  };
  const importKey = async (username: string) => {
    const { credential, publicKey, authenticator } = foreignKey({
      rpId: SHOP,
      handle: randomBytes(32),
    });
    const key = {
      credentialId: credential.id.toString('base64url'),
      publicKey: publicKey.toString('base64url'),
      signCount: 0,
      backupEligible: false,
    };
    const user = { type: 'user', username, userHandle: credential.userHandle, keys: [key] };
    const lines = jsonLinesOf([
      { type: 'header', format: 'servicefido-users', version: 1, relyingParty: SHOP },
      user,
      { type: 'end', users: 1, keys: 1 },
    ]);
    expect((await postImport(new AdminClient(server.url, SHOP), lines)).status).toBe(200);
    return at(SHOP, authenticator);
  };
  const upgrade = (client: FidoClient, signedIn: Answer) =>
    client.completeRegistration(
      client.create({ ...signedIn, body: signedIn.body['upgrade'] as Answer['body'] }),
    );

  describe('the origin of a key', () => {
    const originsOf = async (username: string) => {
      const rows = await rowsOf<{ origin: string | null }>(
        server,
        `SELECT c.origin FROM credentials c JOIN users u ON u.id = c.user_id
        WHERE u.username = ? ORDER BY c.id`,
        Buffer.from(username),
      );
      return rows.map(({ origin }) => origin);
    };

    it('is the user for a registration without a permit, and for one by a token', async () => {
      const first = new FidoClient(server.url);
      await first.register('anna');
      expect(await originsOf('anna')).toEqual(['user']);
      const bea = at(NEW);
      await bea.register('bea');
      const { body } = await bea.signIn('bea');
      const phone = at(NEW);
      const begun = await phone.post(
        phone.paths.beginRegistration,
        { username: 'bea', displayName: 'bea' },
        { authorization: `Bearer ${String(body['token'])}` },
      );
      expect((await phone.completeRegistration(phone.create(begun))).status).toBe(200);
      expect(await originsOf('bea')).toEqual(['user', 'user']);
    });

    it('is the issuer of the ticket, the invitation, or the application itself', async () => {
      await withTicket('carl');
      expect(await originsOf('carl')).toEqual(['account']);
      const dora = at(SHOP);
      const ticket = await ticketOf(keyClient(server.url, secret), 'dora');
      expect((await dora.register('dora', { ticket })).status).toBe(200);
      expect(await originsOf('dora')).toEqual(['application']);
      const invited = await admin.post('/userapi/invitations', {
        username: 'emil',
        relyingParty: SHOP,
      });
      const code = invited.body['code'];
      expect((await at(SHOP).register('emil', { ticket: code })).status).toBe(200);
      expect(await originsOf('emil')).toEqual(['invitation']);
      expect((await backend().register('finn')).status).toBe(200);
      expect(await originsOf('finn')).toEqual(['application']);
    });

    it('is the import, or the sign-in with a key of the old domain', async () => {
      await importKey('gina');
      expect(await originsOf('gina')).toEqual(['import']);
      const hans = await withTicket('hans', OLD);
      const moving = at(NEW, hans.authenticator);
      const signedIn = await moving.signIn('hans');
      expect((await upgrade(moving, signedIn)).status).toBe(200);
      expect(await originsOf('hans')).toEqual(['account', 'upgrade']);
    });

    it('is unknown for a ticket that an earlier version issued', async () => {
      const ticket = await ticketOf(admin, 'ida');
      await rowsOf(server, 'UPDATE tickets SET issuer = NULL');
      expect((await at(SHOP).register('ida', { ticket })).status).toBe(200);
      expect(await originsOf('ida')).toEqual([null]);
    });
  });
});
