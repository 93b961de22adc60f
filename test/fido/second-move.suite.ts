import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES } from '../support/databases.js';
import { settle, type SettledUser } from '../support/settled-users.js';
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

  const changing = (domain: string, predecessor: string | null) =>
    server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { predecessor });

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

  const at = ({ domain }: RelyingParty) => new AdminClient(server.url, domain);

  const link = (rp: RelyingParty, username: string) =>
    at(rp).post('/userapi/collisions', { username });
});
