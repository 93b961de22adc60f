import type { ChangeRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { adminClient, type Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { STORE, report, sized } from '../support/harness.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';
const USERS = sized(60);
/** Users who sign in at the same time. */
const AT_ONCE = 8;
const HOUR_MS = 3_600_000;

/** A domain moves while users sign in: nobody is ever locked out, and nobody counts twice. */
describe('the move to a successor under load', () => {
  let server: TestServer;
  let calls = 0;
  let slowest = 0;
  const users: FidoClient[] = [];
  beforeAll(async () => {
    const { on, ...sessions } = STORE;
    const options = { rateAddress: 1e9, rateUser: 1e9, ...sessions };
    server = await TestServer.start({ on, options });
    // The invoice is that of one month.
    server.clock.toMiddleOfMonth();
    const relatedOrigins = [`https://${NEW}`];
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins });
    await server.addRelyingParty('acme', { domain: NEW, policy: { registration: 'first-only' } });
  });
  afterAll(() => server.stop());

  const nameOf = (n: number) => `user-${n}`;
  const at = (relyingParty: string, n: number) =>
    new FidoClient(server.url, {
      relyingParty,
      ...(users[n] && { authenticator: users[n].authenticator }),
    });
  const change = (domain: string, dto: ChangeRelyingPartyDto) =>
    server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, dto);
  const signIn = (domain: string, n: number) => good(at(domain, n).signIn(nameOf(n)));

  it('each user can sign in before, during and after a move, at both domains', async () => {
    await everybody(async (n) => {
      const client = at(OLD, n);
      users[n] = client;
      await good(client.register(nameOf(n)));
    });
    await change(OLD, { policy: { registration: 'ticket' } });
    // The move begins during sign-ins at the predecessor.
    await Promise.all([everybody((n) => signIn(OLD, n)), change(NEW, { predecessor: OLD })]);
    await everybody(async (n) => {
      await moveOver(n);
      await Promise.all([signIn(NEW, n), signIn(OLD, n)]);
    });
    const adoption = await adminClient(server.url).get(`/userapi/adoption?relyingParty=${NEW}`);
    expect(adoption.body['move']).toEqual({
      from: OLD,
      users: USERS,
      moved: USERS,
      collisions: 0,
    });

    // Back: both domains are independent, each with its keys.
    await Promise.all([everybody((n) => signIn(NEW, n)), change(NEW, { predecessor: null })]);
    await everybody((n) => signIn(n % 2 === 0 ? OLD : NEW, n));
    await server.get(TenancyService).removeRelyingParty(server.call, 'acme', OLD);
    await everybody((n) => signIn(NEW, n));
  });

  it('an invoice counts each moved user once', async () => {
    server.clock.advance(HOUR_MS);
    const date = server.clock.today();
    const { body } = await adminClient(server.url).get(`/userapi/invoice?date=${date}&tenant=acme`);
    const { invoice } = body as {
      invoice: { tenants: { relyingParties: { activeUsers: number }[] }[] };
    };
    const active = invoice.tenants
      .flatMap(({ relyingParties }) => relyingParties)
      .reduce((sum, { activeUsers }) => sum + activeUsers, 0);
    expect(active).toBe(USERS);
    report({ users: USERS, calls, slowestMs: Math.round(slowest) });
  });

  /** Everybody does it, `width` at a time. */
  async function everybody(act: (n: number) => Promise<unknown>) {
    let next = 0;
    const go = async () => {
      for (let n = next++; n < USERS; n = next++) await act(n);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, go));
  }

  async function moveOver(n: number) {
    const { body } = await signIn(NEW, n);
    // Some do not take the new key at once, and come again with the old one.
    if (n % 3 === 0) await signIn(NEW, n);
    const client = at(NEW, n);
    const again = await good(client.signIn(nameOf(n)));
    await good(client.upgrade(again));
    expect(body['username']).toBe(nameOf(n));
  }

  async function good(made: Promise<Answer>): Promise<Answer> {
    const began = performance.now();
    const answer = await made;
    slowest = Math.max(slowest, performance.now() - began);
    calls += 1;
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer;
  }
});
