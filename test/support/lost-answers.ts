import type { Answer } from './client.js';
import type { FaultyProxy } from './faulty-proxy.js';
import { report } from './harness.js';

const FAULTS = ['lose-answer', 'lose-question'] as const;
/** A call commits its change, and perhaps its audit row after it. */
const MOST_COMMITS = 2;

/** A call, and how many rows show what it did: 1 afterwards. */
export type PreparedWrite = readonly [call: () => Promise<unknown>, done: () => Promise<number>];

/** What a call writes, and how to prepare it with a name that nothing else has. */
export type LostWrite = readonly [
  title: string,
  prepare: (name: string) => PreparedWrite | Promise<PreparedWrite>,
];

/**
 * Tests each write with a connection that breaks at one of its commits: either the commit or its answer is lost.
 * The call must succeed, and its write be stored once.
 */
export function itReportsWhatHappened(writes: readonly LostWrite[], proxyOf: () => FaultyProxy) {
  it.each(writes)('%s: reports what happened', async (what, prepare) => {
    const proxy = proxyOf();
    let struck = 0;
    for (const fault of FAULTS) {
      for (let passes = 0; passes < MOST_COMMITS; passes += 1) {
        const name = `${what} ${fault} ${passes}`.replaceAll(' ', '-').toLowerCase().slice(-60);
        const [call, done] = await prepare(name);
        const before = proxy.struck;
        proxy.arm('COMMIT', fault, passes);
        const answer = await call();
        proxy.disarm();
        struck += proxy.struck - before;
        const { status = 200, body } = (answer ?? {}) as Partial<Answer>;
        expect({ fault, passes, ok: status < 400, body }).toMatchObject({ ok: true });
        expect([fault, passes, await done()]).toEqual([fault, passes, 1]);
      }
    }
    expect(struck).toBeGreaterThanOrEqual(FAULTS.length);
    report({ rounds: struck });
  });
}
