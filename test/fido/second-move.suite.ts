import { Database } from '../../src/platform/database/database.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES } from '../support/databases.js';
import { settle, type SettledUser } from '../support/settled-users.js';
import { FidoClient } from '../support/fido-client.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** What the first move linked has no effect on the second one, although the links outlive it. */
describe.each(DATABASES)('a second move, on %s', (on) => {
  let server: TestServer;
  let domains = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    // The tests decide, so that no round of the job falls between their steps.
    await server.get(MoveDecisions).onModuleDestroy();
  });
  afterAll(() => server.stop());

  describe('from the successor of the first one', () => {
    let second: RelyingParty;
    let third: RelyingParty;
    beforeEach(async () => {
      const anna = { username: 'anna', userId: 'anna-1' };
      const first = await opened(anna);
      second = await opened(anna);
      await move(first, second);
      await end(second);
      third = await opened();
      await move(second, third);
    });

    it.each(['the old', 'the new'])(
      'renames at %s domain a user who is not at the new one yet',
      async (side) => {
        const renaming = { username: 'anna', newUsername: 'anne' };
        const rp = side === 'the old' ? second : third;
        expect(await at(rp).patch('/userapi/users', renaming)).toMatchObject({ status: 200 });
        expect(await at(second).names()).toEqual(['anne']);
      },
    );
  });

  /** To a domain whose first predecessor still exists, and has a user who was linked. */
  describe('to the same successor', () => {
    let first: RelyingParty;
    let successor: RelyingParty;
    let second: RelyingParty;
    beforeEach(async () => {
      first = await opened({ username: 'ben' });
      successor = await opened({ username: 'ben' });
      await move(first, successor);
      expect(await link(successor, 'ben')).toMatchObject({ status: 201 });
      await end(successor);
      second = await opened();
      await move(second, successor);
    });

    it('leaves a first user ID to an application key of the successor alone', async () => {
      const scopes = ['ceremonies'];
      const relyingParties = [successor.domain];
      const { secret } = await issueKey(server.url, { tenant: 'acme', scopes, relyingParties });
      const backend = new Backend(server.url, secret, { relyingParty: successor.domain });
      expect(await backend.register('ben', { userId: 'ben-1' })).toMatchObject({ status: 200 });
      const rows = await rowsOf<{ subject: Buffer | null }>(
        server,
        'SELECT subject FROM users WHERE relying_party_id IN (?, ?) ORDER BY subject',
        first.id,
        successor.id,
      );
      expect(rows.map(({ subject }) => subject?.toString())).toEqual([undefined, 'ben-1']);
    });

    it('does not suspend a restored user who is suspended at the first predecessor', async () => {
      const suspension = { username: 'ben', suspended: true };
      const suspended = await at(first).post('/userapi/users/suspension', suspension);
      expect(suspended).toMatchObject({ status: 200 });
      const page = { name: 'ben', rp: successor.domain };
      const deletion = { ...page, action: 'delete-user', confirm: 'ben' };
      await sendForm(server, '/userapi/user', deletion);
      expect(await at(successor).list('ben')).toEqual([]);
      const [deleted] = await rowsOf<{ id: Buffer }>(
        server,
        'SELECT id FROM deletions WHERE relying_party_id = ?',
        successor.id,
      );
      await sendForm(server, '/userapi/undo', {
        ...page,
        deletion: String(deleted?.id.toString('base64url')),
      });
      const [restored] = await at(successor).list('ben');
      expect(restored).toMatchObject({ username: 'ben' });
      expect(restored).not.toHaveProperty('suspendedBy');
    });
  });

  describe('back to the first predecessor', () => {
    it('has the links again of users whom no other move has linked', async () => {
      const users = ['finn', 'gina'].map((username) => ({ username, userId: username }));
      const first = await opened(...users);
      const successor = await opened(...users);
      await move(first, successor);
      await end(successor);
      const second = await opened({ username: 'gina.old', userId: 'gina' });
      await move(second, successor);
      await end(successor);
      await rowsOf(server, 'UPDATE users SET subject = NULL WHERE relying_party_id = ?', first.id);
      await move(first, successor);
      expect(await collisionsOf(successor)).toEqual([{ username: 'gina', reason: 'nameTaken' }]);
      const { body } = await at(successor).managePost({ type: 'disableall', filter: 'finn' });
      expect(body).toMatchObject({ users: 2, credentials: 2 });
    });
  });

  describe.each(['kept', 'removed'])(
    'to the same successor, with the first predecessor %s',
    (state) => {
      let first: RelyingParty;
      let successor: RelyingParty;
      beforeEach(async () => {
        const users = [
          { username: 'cleo', userId: 'cleo-1' },
          { username: 'dora' },
          { username: 'emma', userId: 'emma-1', devices: [] },
        ];
        first = await opened(...users);
        successor = await opened(...users);
        await move(first, successor);
        expect(await link(successor, 'dora')).toMatchObject({ status: 201 });
        await end(successor);
        if (state === 'removed') {
          const tenancy = server.get(TenancyService);
          await tenancy.removeRelyingParty(server.call, 'acme', first.domain);
        }
      });

      it('links users with equal user IDs', async () => {
        const second = await opened({ username: 'cleo.old', userId: 'cleo-1' });
        await move(second, successor);
        expect(await collisionsOf(successor)).toEqual([]);
        await expectBoth(second, 'cleo', 'cleo.old');
      });

      it('links a user with an equal user ID who signs in before the job decides', async () => {
        const second = await opened();
        const { secret } = await issueKey(server.url, { tenant: 'acme', scopes: ['ceremonies'] });
        const owner = new Backend(server.url, secret, { relyingParty: second.domain });
        expect(await owner.register('emma.old', { userId: 'emma-1' })).toMatchObject({
          status: 200,
        });
        await changing(successor.domain, second.domain);
        const { authenticator } = owner;
        const page = new FidoClient(server.url, { relyingParty: successor.domain, authenticator });
        expect(await page.signIn('emma')).toMatchObject({ status: 200 });
        const rows = await rowsOf<{ name: Buffer }>(
          server,
          `SELECT p.username AS name FROM moves m JOIN users s ON s.id = m.user_id
           JOIN users p ON p.id = m.former_user_id AND p.relying_party_id = m.former_relying_party_id
           WHERE m.relying_party_id = ? AND s.username = ?`,
          successor.id,
          Buffer.from('emma'),
        );
        expect(rows.map(({ name }) => String(name))).toEqual(['emma.old']);
      });

      it('makes a collision of equal names, which an account resolves', async () => {
        const second = await opened({ username: 'dora' });
        await move(second, successor);
        expect(await collisionsOf(successor)).toEqual([{ username: 'dora', reason: 'nameTaken' }]);
        expect(await link(successor, 'dora')).toMatchObject({ status: 201 });
        expect(await collisionsOf(successor)).toEqual([]);
        await expectBoth(second, 'dora');
      });

      it('makes a collision of equal names, which an invitation with "link" resolves', async () => {
        const second = await opened({ username: 'dora' });
        await move(second, successor);
        const invitation = { username: 'dora', relyingParty: successor.domain, link: true };
        const invited = await at(successor).post('/userapi/invitations', invitation);
        expect(invited).toMatchObject({ status: 201, body: { linked: true } });
        await expectBoth(second, 'dora');
      });

      it('links a user although an earlier version gave the user the name of an expected one', async () => {
        const second = await opened({ username: 'nora' });
        await move(second, successor);
        const invitation = { username: 'nora', relyingParty: successor.domain, link: true };
        const invited = await at(successor).post('/userapi/invitations', invitation);
        expect(invited).toMatchObject({ status: 201, body: { linked: true } });
        const nora = Buffer.from('nora');
        const names = [nora, successor.id, Buffer.from('dora')];
        const sql = 'UPDATE users SET username = ? WHERE relying_party_id = ? AND username = ?';
        await server.get(Database).commit([{ sql, params: names, mustChange: true }]);
        expect(await link(successor, 'nora')).toMatchObject({ status: 201 });
        const { body } = await at(successor).managePost({ type: 'disableall', filter: 'nora' });
        expect(body).toMatchObject({ users: 2, credentials: 2 });
      });

      /** A change at the successor reaches the user of the second predecessor, and no other. */
      async function expectBoth(second: RelyingParty, name: string, predecessorName = name) {
        const { body } = await at(successor).managePost({ type: 'disableall', filter: name });
        expect(body).toMatchObject({ users: 2, credentials: 2 });
        expect(await areEnabled(second, predecessorName)).toEqual([false]);
        if (state === 'kept') expect(await areEnabled(first, name)).toEqual([true]);
      }
    },
  );

  function changing(domain: string, predecessor: string | null) {
    return server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'acme', domain, { predecessor });
  }

  /** A relying party with these users, each with a key. */
  async function opened(...users: readonly SettledUser[]): Promise<RelyingParty> {
    domains += 1;
    const domain = `domain-${domains}.example`;
    const policy = { registration: 'ticket' } as const;
    await server.addRelyingParty('acme', { domain, policy, enrolmentUrl: `https://${domain}/` });
    const rp = relyingPartyOf(server, domain);
    await settle(server, rp, users);
    return rp;
  }

  /** Begins a move, and decides about all users. */
  async function move(predecessor: RelyingParty, { domain }: RelyingParty) {
    await changing(domain, predecessor.domain);
    await server.get(MoveDecisions).catchUp();
  }

  /** Ends the move to a domain, which leaves the links. */
  async function end({ domain }: RelyingParty) {
    await changing(domain, null);
    await server.get(MoveDecisions).catchUp();
  }

  function at({ domain }: RelyingParty) {
    return new AdminClient(server.url, domain);
  }

  function link(rp: RelyingParty, username: string) {
    return at(rp).post('/userapi/collisions', { username });
  }

  async function collisionsOf(rp: RelyingParty) {
    const { body } = await at(rp).get('/userapi/collisions');
    return body['collisions'] as { username: string; reason: string }[];
  }

  async function areEnabled(rp: RelyingParty, username: string) {
    const [user] = await at(rp).list(username);
    return user?.credentials.map(({ enabled }) => enabled);
  }
});
