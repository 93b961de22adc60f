import type { Answer } from './client.js';
import type { FaultyProxy } from './faulty-proxy.js';
import { report } from './harness.js';
import { countOf } from './rows.js';
import type { TestServer } from './test-server.js';

const FAULTS = ['lose-answer', 'lose-question'] as const;
/** A call commits its change, and perhaps its audit row after it. */
const MAX_COMMITS = 2;

interface PreparedWrite {
  /** Makes the change. */
  readonly call: () => Promise<unknown>;
  /** Whether the change is stored, exactly once. */
  readonly isStored: () => Promise<boolean>;
}

/** Prepares a call with a name that nothing else has. */
type Prepare = (name: string) => PreparedWrite | Promise<PreparedWrite>;

/** Checks for `isStored`: whether exactly one row, or none, fits `FROM …`. */
export function rowChecks(server: () => TestServer) {
  type Params = readonly (string | Buffer)[];
  return {
    hasOne: async (from: string, ...params: Params) =>
      (await countOf(server(), from, ...params)) === 1,
    hasNone: async (from: string, ...params: Params) =>
      (await countOf(server(), from, ...params)) === 0,
  };
}

/**
 * Makes a function that tests a write with a connection that breaks at one of its commits: either the commit or its
 * answer is lost. The call must succeed, and its write be stored once.
 */
export function lostAnswers(proxyOf: () => FaultyProxy) {
  async function reportsOnce(title: string, prepare: Prepare) {
    const proxy = proxyOf();
    let struck = 0;
    for (const fault of FAULTS) {
      for (let passes = 0; passes < MAX_COMMITS; passes += 1) {
        const name = `${title} ${fault} ${passes}`.replaceAll(' ', '-').toLowerCase().slice(-60);
        const { call, isStored } = await prepare(name);
        const before = proxy.struck;
        proxy.arm('COMMIT', fault, passes);
        const answer = await call();
        proxy.disarm();
        struck += proxy.struck - before;
        const { status = 200, body } = (answer ?? {}) as Partial<Answer>;
        expect({ fault, passes, ok: status < 400, body }).toMatchObject({ ok: true });
        expect({ fault, passes, isStored: await isStored() }).toEqual({
          fault,
          passes,
          isStored: true,
        });
      }
    }
    expect(struck).toBeGreaterThanOrEqual(FAULTS.length);
    report({ rounds: struck });
  }
  return (title: string, prepare: Prepare) =>
    it(`stores the change once and reports it: ${title}`, () => reportsOnce(title, prepare));
}
