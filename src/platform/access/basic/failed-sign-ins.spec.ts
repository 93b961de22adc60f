import v8 from 'node:v8';
import vm from 'node:vm';
import { Clock } from '../../common/clock.js';
import { FailedSignIns } from './failed-sign-ins.js';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

/** The bytes that are held, without the garbage: when that is collected otherwise depends on the machine. */
function heldMemory(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

class HandClock extends Clock {
  at = 1_000_000;
  override now(): number {
    return this.at;
  }
}

describe('FailedSignIns', () => {
  let clock: HandClock;
  let failures: FailedSignIns;
  beforeEach(() => {
    clock = new HandClock();
    failures = new FailedSignIns(clock);
  });

  /** Adds wrong sign-ins from an address until it must wait, and counts them. */
  function guess(name: string, address: string, most = 1000): number {
    let tries = 0;
    while (tries < most && failures.secondsToWait(address, name) === 0) {
      failures.add(address, name);
      tries += 1;
    }
    return tries;
  }
  const addresses = (n: number) =>
    Array.from({ length: n }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);

  it('blocks an account after 50 failed sign-ins for their address, and for no other', () => {
    expect(guess('anna', '192.0.2.1')).toBe(50);
    expect(failures.secondsToWait('192.0.2.1', 'anna')).toBe(300);
    expect(failures.secondsToWait('192.0.2.1', 'bert')).toBe(0);
    expect(failures.secondsToWait('192.0.2.2', 'anna')).toBe(0);
  });

  it('counts each Unicode spelling of a name as the same account', () => {
    expect(guess('andr\u00e9', '192.0.2.1')).toBe(50);
    expect(failures.secondsToWait('192.0.2.1', 'andre\u0301')).toBe(300);
  });

  it('blocks an address after 200 failed sign-ins with any names', () => {
    let tries = 0;
    while (failures.secondsToWait('192.0.2.1', `name ${tries}`) === 0) {
      failures.add('192.0.2.1', `name ${tries}`);
      tries += 1;
    }
    expect(tries).toBe(200);
    expect(failures.secondsToWait('192.0.2.2', 'name 1')).toBe(0);
  });

  it('counts all addresses of an IPv6 network as one address', () => {
    expect(guess('anna', '2001:db8::1')).toBe(50);
    expect(failures.secondsToWait('2001:db8::2', 'anna')).toBeGreaterThan(0);
    expect(failures.secondsToWait('2001:db8:0:1::2', 'anna')).toBe(0);
  });

  it('leaves the owner of an account five attempts while 1,000 addresses guess its password', () => {
    const total = addresses(1000).reduce((sum, address) => sum + guess('anna', address), 0);
    expect(total).toBeLessThan(500 + 50 + 1000 * 5);
    expect(failures.secondsToWait('192.0.2.9', 'anna')).toBe(0);
    expect(guess('anna', '192.0.2.9')).toBe(5);
  });

  it('forgets failed sign-ins after five minutes', () => {
    for (const address of addresses(100)) guess('anna', address);
    guess('anna', '192.0.2.1');
    clock.at += 299_000;
    expect(failures.secondsToWait('192.0.2.1', 'anna')).toBe(1);
    clock.at += 1000;
    expect(failures.secondsToWait('192.0.2.1', 'anna')).toBe(0);
    expect(guess('anna', '192.0.2.1')).toBe(50);
  });

  it('forgets failed sign-ins even if the clock was a day ahead when it counted them', () => {
    clock.at += 24 * 3_600_000;
    guess('anna', '192.0.2.1');
    clock.at -= 1000;
    expect(failures.secondsToWait('192.0.2.1', 'anna')).toBe(301);
    clock.at -= 24 * 3_600_000;
    expect(failures.secondsToWait('192.0.2.1', 'anna')).toBe(0);
    expect(guess('anna', '192.0.2.1')).toBe(50);
    expect(failures.secondsToWait('192.0.2.1', 'anna')).toBe(300);
  });

  it('uses bounded memory for failed sign-ins with any number of forged names', () => {
    const forge = (from: number, to: number) => {
      for (let n = from; n < to; n += 1)
        failures.add(`10.0.${n & 255}.1`, `${'x'.repeat(500)}${n}`);
    };
    forge(0, 20_000);
    const before = heldMemory();
    forge(20_000, 120_000);
    expect(heldMemory() - before).toBeLessThan(16 * 1024 * 1024);
  });

  it('counts nothing for attempts that succeed, however many begin at once', () => {
    const begun = guess('the provider', '192.0.2.1');
    expect(begun).toBe(50);
    for (let n = 0; n < begun; n += 1) failures.takeBack('192.0.2.1', 'the provider');
    failures.takeBack('192.0.2.1', 'the provider');
    expect(guess('the provider', '192.0.2.1')).toBe(50);
  });
});
