import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import { TicketService } from '../../src/fido/tickets/ticket.service.js';
import { ExpiredPermits } from '../../src/fido/tickets/expired-permits.js';
import { InvitationIssue } from '../../src/invitations/invitation-issue.js';
import { changingCall } from '../support/changing-call.js';
import { DATABASES } from '../support/databases.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const HOUR_MS = 3_600_000;
const MANY = 450;

describe.each(DATABASES)('tickets and invitations that expired long ago, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    // The tests delete, so that no round of the job falls between their steps.
    await server.get(ExpiredPermits).onModuleDestroy();
    server.clock.standAt(Date.now());
  });
  afterAll(() => server.stop());

  const here = () => relyingPartyOf(server, 'localhost');
  const ticket = (): Promise<unknown> => {
    const call = changingCall(server, 'ticket.issue');
    return server.get(TicketService).issue(call, here(), { username: 'anna', ttl: 60 });
  };
  const invitation = (): Promise<unknown> => {
    const call = changingCall(server, 'invitation.issue');
    const request = { username: 'anna', ttl: 60, minKeys: 1, issuer: OPERATOR_ACCOUNT };
    const place = { origin: server.url, linking: 'none' as const };
    return server.get(InvitationIssue).issue(call, here(), { ...request, ...place });
  };
  const catchUp = () => server.get(ExpiredPermits).catchUp();

  it.each([
    { table: 'tickets', issue: ticket, keptMs: HOUR_MS },
    { table: 'invitations', issue: invitation, keptMs: 30 * 24 * HOUR_MS },
  ])('a job deletes expired $table, and issuing another one does not', async (permits) => {
    const { table, issue, keptMs } = permits;
    await Promise.all(Array.from({ length: MANY }, issue));
    server.clock.advance(60_000 + keptMs - 1);
    await catchUp();
    expect(await countOf(server, table)).toBe(MANY);
    server.clock.advance(1);
    await issue();
    expect(await countOf(server, table)).toBe(MANY + 1);
    await catchUp();
    expect(await countOf(server, table)).toBe(1);
  });

  it('an instance whose clock differs from that of MariaDB deletes no expired tickets', async () => {
    await ticket();
    server.clock.advance(60_000 + HOUR_MS);
    const { now } = Date;
    Date.now = () => now() + 61_000;
    await catchUp();
    Date.now = now;
    const kept = on === 'SQLite' ? 0 : 1;
    expect(await countOf(server, 'tickets WHERE expires_at < ?', server.clock.now())).toBe(kept);
  });
});
