import { EVERY_DATABASE, REDIS_URL } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const HOUR = 3_600_000;
const ok = { status: 200, body: { status: 'ok' } };

describe('a clock that jumps', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeEach(async () => {
    server = await TestServer.start();
    client = new FidoClient(server.url);
    expect(await client.register('alice')).toMatchObject(ok);
  });
  afterEach(() => server.stop());

  it.each([
    ['an hour forward', HOUR],
    ['back by an hour less 61 seconds', 61_000 - HOUR],
  ])(
    'a clock that jumps %s voids pending ceremonies, and a new sign-in succeeds',
    async (_, step) => {
      const registering = await client.beginRegistration('bert');
      const signingIn = await client.beginAuthentication('alice');
      server.clock.advance(step);
      expectRefusal(await client.completeRegistration(client.create(registering)), 'E0024R');
      expectRefusal(await client.completeAuthentication(client.assert(signingIn)), 'E0024R');
      expect(await client.signIn('alice')).toMatchObject(ok);
    },
  );

  it('ceremonies succeed while the clock jumps a second forward and back', async () => {
    let busy = true;
    const steps = (async () => {
      for (let n = 0; busy; n += 1) {
        server.clock.advance(n % 2 === 0 ? 1000 : -1000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    for (let n = 0; n < 20; n += 1) {
      expect(await client.register(`step-${n}`)).toMatchObject(ok);
      expect(await client.signIn('alice')).toMatchObject(ok);
    }
    busy = false;
    await steps;
  });
});

const canShare = REDIS_URL !== undefined && EVERY_DATABASE.includes('MariaDB');
if (canShare)
  describe('two instances with different clocks', () => {
    it('instances whose clocks differ by 4 s complete each other’s ceremonies until these expire', async () => {
      const database = await createServerDatabase('MariaDB');
      const options = { sessions: `${REDIS_URL}` };
      const slow = await TestServer.start({ database, options });
      const fast = await TestServer.start({ database, options });
      const now = Date.now();
      for (const { clock } of [slow, fast]) clock.standAt(now);
      fast.clock.advance(4000);
      const origin = slow.url;
      const here = new FidoClient(slow.url, { origin });
      const there = new FidoClient(fast.url, { origin, authenticator: here.authenticator });
      expect(await here.register('traveller')).toMatchObject(ok);
      there.cookie = here.cookie;
      for (const [one, other] of [
        [here, there],
        [there, here],
      ] as const) {
        const begun = await one.beginAuthentication('traveller');
        expect(await other.completeAuthentication(other.assert(begun))).toMatchObject(ok);
      }
      const late = await here.beginAuthentication('traveller');
      for (const { clock } of [slow, fast]) clock.advance(59_000);
      expect(await there.completeAuthentication(there.assert(late))).toMatchObject(ok);
      const begun = await here.beginAuthentication('traveller');
      for (const { clock } of [slow, fast]) clock.advance(62_000);
      expectRefusal(await there.completeAuthentication(there.assert(begun)), 'E0024R');
      await slow.stop();
      await fast.stop();
      await database.remove();
    });
  });
