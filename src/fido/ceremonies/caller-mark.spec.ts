import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { callerMarkOf, callerMarks } from './caller-mark.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes on the heap that are still needed. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('the mark of a caller', () => {
  const markOf = callerMarks('a secret');

  it('is the same for all addresses of a group, and another for another', () => {
    expect(markOf('2001:db8:1:2::1')).toBe(markOf('2001:db8:1:2::2'));
    expect(markOf('192.0.2.1')).not.toBe(markOf('192.0.2.2'));
  });

  it('depends on the secret, which an attacker does not know', () => {
    expect(callerMarks('another secret')('192.0.2.1')).not.toBe(markOf('192.0.2.1'));
  });

  it('stands at the end of the name of a session', () => {
    expect(callerMarkOf(`session${markOf('192.0.2.1')}`)).toBe(markOf('192.0.2.1'));
  });

  it('is known of a thousand addresses, so that 300,000 take no memory', () => {
    const before = heldBytes();
    for (let n = 0; n < 300_000; n += 1) markOf(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    // A cache of all 300,000 would take 30 MB.
    expect(heldBytes() - before).toBeLessThan(4_000_000);
  });
});
