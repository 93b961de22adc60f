import { availableParallelism } from 'node:os';
import { ApiError } from '../../errors/api-error.js';
import { PasswordChecks } from './password-checks.js';

/** How many passwords may be derived at a time, as in the service. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1));

describe('PasswordChecks', () => {
  /** Everything that runs at first waits for this. */
  let open: () => void;
  let gate: Promise<void>;
  let checks: PasswordChecks;
  let order: string[];
  let all: Promise<unknown>[];
  beforeEach(() => {
    checks = new PasswordChecks();
    gate = new Promise((resolve) => (open = resolve));
    order = [];
    all = Array.from({ length: AT_ONCE }, () => checks.run('192.0.2.99', () => gate));
  });

  const ask = (address: string) => {
    const done = checks.run(address, async () => void order.push(address));
    const refused = done.then(
      () => false,
      (error: unknown) => error instanceof ApiError && error.code === 'E0040R',
    );
    all.push(refused);
    return refused;
  };

  it('a network that floods password checks fills only its own places', async () => {
    const flood = Array.from({ length: 50 }, () => ask('192.0.2.1'));
    const others = ['192.0.2.2', '192.0.2.3', '192.0.2.4'].map(ask);
    open();
    expect((await Promise.all(flood)).filter(Boolean)).toHaveLength(42);
    expect(await Promise.all(others)).toEqual([false, false, false]);
  });

  it('serves the password checks of networks alternately', async () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      for (let n = 0; n < 8; n += 1) void ask(address);
    }
    void ask('192.0.2.9');
    open();
    await Promise.all(all);
    expect(order.slice(0, 4).sort()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.9']);
    expect(order).toHaveLength(25);
  });

  it('gives all addresses of an IPv6 /48 one turn and 32 places for password checks', async () => {
    const flood = Array.from({ length: 100 }, (_, n) => ask(`2001:db8:1:${n.toString(16)}::1`));
    void ask('192.0.2.9');
    open();
    expect((await Promise.all(flood)).filter(Boolean)).toHaveLength(68);
    expect(order.indexOf('192.0.2.9')).toBeLessThan(2 * AT_ONCE + 1);
  });
});
