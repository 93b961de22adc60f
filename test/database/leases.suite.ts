import { Database } from '../../src/platform/database/database.js';
import { Lease } from '../../src/platform/database/jobs/leased-job.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

const SECOND = 1000;

describe.each(EVERY_DATABASE)('a lease, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  /** Instances that want the same job, and a clock for each. */
  const instances = (name: string) => {
    let time = 0;
    const make = () => new Lease(server.get(Database), name, () => time);
    return { one: make(), other: make(), pass: (ms: number) => (time += ms) };
  };

  it('one of several callers gets and renews the lease', async () => {
    const { one, other, pass } = instances('renewed');
    expect((await Promise.all([one.hold(), other.hold()])).filter(Boolean)).toHaveLength(1);
    const holder = one.isHeld ? one : other;
    for (let n = 0; n < 8; n += 1) {
      pass(5 * SECOND);
      expect(await Promise.all([one.hold(), other.hold()])).toEqual([
        holder === one,
        holder === other,
      ]);
    }
  });

  it('a lease answers two callers during its lookup', async () => {
    const { one } = instances('asked twice');
    expect(await Promise.all([one.hold(), one.hold()])).toEqual([true, true]);
  });

  it('a returned lease passes to another holder at once', async () => {
    const { one, other, pass } = instances('given back');
    await one.hold();
    await one.giveBack();
    expect([one.isHeld, await other.hold()]).toEqual([false, true]);
    pass(5 * SECOND);
    expect([await one.hold(), await other.hold()]).toEqual([false, true]);
  });

  it('a lease that was not renewed passes to another holder, after the first stops relying on it', async () => {
    const { one, other, pass } = instances('gone');
    await one.hold();
    const seen: boolean[] = [];
    for (let seconds = 0; seconds < 20; seconds += 5) {
      seen.push(await other.hold());
      expect(one.isHeld && other.isHeld).toBe(false);
      pass(5 * SECOND);
    }
    expect(seen).toEqual([false, false, false, true]);
    expect(await one.hold()).toBe(false);
  });
});
