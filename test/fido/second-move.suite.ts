import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { settle, type SettledUser } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
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
    await server.addRelyingParty('acme', { domain, policy });
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

  const at = ({ domain }: RelyingParty) => new AdminClient(server.url, domain);

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
});
