import { setTimeout as pause } from 'node:timers/promises';
import { FidoClient } from '../support/fido-client.js';
import { IS_HARNESS, report, sized } from '../support/harness.js';
import { ServerProcess } from '../support/server-process.js';

const VISITORS = sized(20);
/** An hour at the default of 600 s, after four fifths of which the SDK begins a new ceremony: eight begin calls. */
const BEGINNINGS = 8;
/** The minimum, so that the hour takes six minutes. */
const LIFE_S = 60;
const FRESH_MS = IS_HARNESS ? 0.8 * LIFE_S * 1000 : 0;
/** The default of `--pending-memory`. */
const BOUND_MIB = 128;
const AT_ONCE = 16;

describe('pages that wait in a form’s autofill list', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = new ServerProcess(['--session-conditional', String(LIFE_S), '--log-level', 'warn']);
    await server.start();
  });
  afterAll(() => server.remove());

  const registered = async (n: number) => {
    const visitor = new FidoClient(server.url);
    expect((await visitor.register(`visitor-${n}`)).status).toBe(200);
    return visitor;
  };

  it('pages that wait for autofill use bounded memory, and a passkey chosen late is accepted', async () => {
    const visitors: FidoClient[] = [];
    for (let n = 0; n < VISITORS; n += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, VISITORS - n) }, (_, i) => n + i);
      visitors.push(...(await Promise.all(some.map(registered))));
    }
    const before = await server.residentMiB();
    let most = before;
    const watch = setInterval(() => {
      void server.residentMiB().then((now) => (most = Math.max(most, now)));
    }, 5_000);
    const stagger = FRESH_MS / VISITORS;
    const statuses = await Promise.all(visitors.map((one, n) => visit(one, n * stagger)));
    clearInterval(watch);
    most = Math.max(most, await server.residentMiB());
    const refused = statuses.filter((status) => status !== 200).length;
    report({
      visitors: VISITORS,
      begun: VISITORS * BEGINNINGS,
      refused,
      beforeMiB: before,
      mostMiB: most,
    });
    expect(refused).toBe(0);
    expect(most - before).toBeLessThan(BOUND_MIB);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  /** Opens the page at its own time, leaves it open, and chooses the passkey at the very end. */
  async function visit(visitor: FidoClient, delay: number) {
    await pause(delay);
    let begun = await visitor.beginNameless('conditional');
    for (let n = 1; n < BEGINNINGS; n += 1) {
      await pause(FRESH_MS);
      begun = await visitor.beginNameless('conditional');
    }
    await pause(FRESH_MS);
    return (await visitor.completeAuthentication(visitor.assert(begun))).status;
  }
});
