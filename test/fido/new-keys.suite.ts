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

const HOUR_MS = 3_600_000;
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

  const backend = (relyingParty = SHOP) => new Backend(server.url, secret, { relyingParty });

  describe('the origin of a key', () => {
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

    it('is the import, or the sign-in with a key of the predecessor', async () => {
      await importKey('gina');
      expect(await originsOf('gina')).toEqual(['import']);
      const hans = await withTicket('hans', OLD);
      const moving = at(NEW, hans.authenticator);
      const signedIn = await moving.signIn('hans');
      expect((await moving.upgrade(signedIn)).status).toBe(200);
      expect(await originsOf('hans')).toEqual(['account', 'upgrade']);
    });

    it('is unknown for a ticket that an earlier version issued', async () => {
      const ticket = await ticketOf(admin, 'ida');
      await rowsOf(server, 'UPDATE tickets SET issuer = NULL');
      expect((await at(SHOP).register('ida', { ticket })).status).toBe(200);
      expect(await originsOf('ida')).toEqual([null]);
    });

    async function originsOf(username: string) {
      const rows = await rowsOf<{ origin: string | null }>(
        server,
        `SELECT c.origin FROM credentials c JOIN users u ON u.id = c.user_id
        WHERE u.username = ? ORDER BY c.id`,
        Buffer.from(username),
      );
      return rows.map(({ origin }) => origin);
    }
  });

  describe('a sign-in', () => {
    const idOf = ({ authenticator }: FidoClient, n = 0) =>
      authenticator.credentials[n]?.id.toString('base64url') ?? '';
    const page = () => new FidoClient(server.url);
    /** The IDs of the new keys in the answer of a sign-in; `undefined` if it lists none. */
    const newIn = ({ status, body }: Answer) => {
      expect(status).toBe(200);
      const listed = body['newKeys'] as readonly { readonly credentialId: string }[] | undefined;
      return listed?.map(({ credentialId }) => credentialId);
    };
    const registered = async (username: string, keypair?: object) => {
      const client = page();
      expect((await client.register(username, keypair && { keypair })).status).toBe(200);
      return client;
    };
    /** A user who has signed in with the first key. */
    const known = async (username: string) => {
      const client = await registered(username);
      expect(newIn(await client.signIn(username))).toBeUndefined();
      return client;
    };

    it('lists the keys that were added since the previous one with this key, once', async () => {
      const blue = await known('jana');
      expect(newIn(await blue.signIn('jana'))).toBeUndefined();
      const red = await registered('jana', { name: 'Red key' });
      const green = await registered('jana');
      const { body } = await blue.signIn('jana');
      const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
      expect(body['newKeys']).toEqual([
        { credentialId: idOf(red), deviceName: 'Red key', createdAt, origin: 'user' },
        expect.objectContaining({ credentialId: idOf(green), origin: 'user' }),
      ]);
      expect(newIn(await blue.signIn('jana'))).toBeUndefined();
    });

    it('lists nothing if it is the first with its key', async () => {
      await known('kim');
      const red = await registered('kim');
      const green = await registered('kim');
      expect(newIn(await red.signIn('kim'))).toBeUndefined();
      expect(newIn(await green.signIn('kim'))).toBeUndefined();
    });

    it('lists new keys without a user name too', async () => {
      const blue = await known('lena');
      const red = await registered('lena');
      expect(newIn(await blue.signInNameless())).toEqual([idOf(red)]);
      expect(newIn(await blue.signInNameless())).toBeUndefined();
    });

    it('lists a key that was added after it began', async () => {
      const blue = await known('mia');
      const begun = await blue.beginAuthentication('mia');
      const red = await registered('mia');
      const answer = await blue.completeAuthentication(blue.assert(begun));
      expect(newIn(answer)).toEqual([idOf(red)]);
      expect(newIn(await blue.signIn('mia'))).toBeUndefined();
    });

    it('lists a new key in each of two that are under way at once', async () => {
      const blue = await known('nora');
      const red = await registered('nora');
      const other = new FidoClient(server.url, { authenticator: blue.authenticator });
      const one = await blue.beginAuthentication('nora');
      const two = await other.beginAuthentication('nora');
      const bodies = [blue.assert(one), other.assert(two)] as const;
      const first = await blue.completeAuthentication(bodies[0]);
      const second = await other.completeAuthentication(bodies[1]);
      expect([newIn(first), newIn(second)]).toEqual([[idOf(red)], [idOf(red)]]);
      expect(newIn(await blue.signIn('nora'))).toBeUndefined();
    });

    it('lists a disabled key, and none that was deleted', async () => {
      const blue = await known('olga');
      const red = await registered('olga');
      const green = await registered('olga');
      const help = new AdminClient(server.url, 'localhost');
      await help.manage({ type: 'disabledevice', filter: 'olga', device: idOf(red) });
      await help.manage({ type: 'deldevice', filter: 'olga', device: idOf(green) });
      expect(newIn(await blue.signIn('olga'))).toEqual([idOf(red)]);
    });

    it('lists an imported key, whose own first sign-in here lists none', async () => {
      const shop = backend();
      await shop.register('paul');
      await shop.signIn('paul');
      const before = await shop.signIn('paul');
      expect(before.body).not.toHaveProperty('newKeys');
      const { userId } = before.body['signals'] as { readonly userId: string };
      const imported = await importKey('paul', Buffer.from(userId, 'base64url'));
      const { body } = await shop.signIn('paul');
      expect(body['newKeys']).toMatchObject([{ credentialId: idOf(imported), origin: 'import' }]);
      expect(newIn(await imported.signIn('paul'))).toBeUndefined();
    });

    it.each([
      ['before', 'rosa', 0],
      ['after', 'rudi', 2 * HOUR_MS],
    ])(
      'lists a key that was added %s the time of the previous sign-in, whose clock was an hour ahead',
      async (_, name, later) => {
        server.clock.advance(HOUR_MS);
        const blue = await known(name);
        server.clock.advance(-HOUR_MS);
        const red = await registered(name);
        server.clock.advance(later);
        expect(newIn(await blue.signIn(name))).toEqual([idOf(red)]);
        server.clock.advance(-later);
      },
    );

    it('lists a new key although the clock was set back after the registration of its own', async () => {
      server.clock.advance(HOUR_MS);
      const blue = await registered('sven');
      server.clock.advance(-HOUR_MS);
      expect(newIn(await blue.signIn('sven'))).toBeUndefined();
      const red = await registered('sven');
      expect(newIn(await blue.signIn('sven'))).toEqual([idOf(red)]);
    });

    it('lists an imported key although the clock was set back after the previous sign-in', async () => {
      const shop = backend();
      server.clock.advance(HOUR_MS);
      await shop.register('tina');
      const { body: before } = await shop.signIn('tina');
      server.clock.advance(-HOUR_MS);
      const { userId } = before['signals'] as { readonly userId: string };
      const imported = await importKey('tina', Buffer.from(userId, 'base64url'));
      const { body } = await shop.signIn('tina');
      expect(body['newKeys']).toMatchObject([{ credentialId: idOf(imported) }]);
    });

    it('lists the keys of the domain of its key in a move', async () => {
      const old = await withTicket('quinn', OLD);
      const moving = at(NEW, old.authenticator);
      expect(newIn(await moving.signIn('quinn'))).toBeUndefined();
      const further = await withTicket('quinn', OLD);
      const signedIn = await moving.signIn('quinn');
      expect(signedIn.body['newKeys']).toMatchObject([
        { credentialId: idOf(further), origin: 'account' },
      ]);
      expect((await moving.upgrade(signedIn)).status).toBe(200);
      expect(newIn(await moving.signIn('quinn'))).toBeUndefined();
      const begun = await moving.beginRegistration('quinn', {});
      expect(begun.status).toBe(403);
      const phone = backend(NEW);
      expect((await phone.register('quinn')).status).toBe(200);
      expect(newIn(await moving.signIn('quinn'))).toEqual([idOf(phone)]);
    });
  });

  function at(relyingParty: string, authenticator = new SoftAuthenticator()) {
    return new FidoClient(server.url, {
      relyingParty,
      authenticator,
    });
  }

  /** A ticket of an account, or of an application. */
  async function ticketOf(issuer: Client, username: string, relyingParty = SHOP) {
    return (await issuer.post('/userapi/tickets', { username, relyingParty })).body['ticket'];
  }

  /** Registers a key with a ticket of the account. */
  async function withTicket(username: string, relyingParty = SHOP) {
    const client = at(relyingParty);
    const ticket = await ticketOf(admin, username, relyingParty);
    expect((await client.register(username, { ticket })).status).toBe(200);
    return client;
  }

  async function importKey(username: string, handle = randomBytes(32)) {
    const { credential, publicKey, authenticator } = foreignKey({ rpId: SHOP, handle });
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
    const { body } = await postImport(new AdminClient(server.url, SHOP), lines);
    expect(body).toMatchObject({ keys: { created: 1 } });
    return at(SHOP, authenticator);
  }
});
