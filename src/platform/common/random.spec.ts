import { pooledRandomBytes, randomText } from './random.js';

const MANY = 100_000;

describe('random bytes', () => {
  it('100,000 random challenges are all different', () => {
    const challenges = new Set(Array.from({ length: MANY }, () => randomText(32)));
    expect(challenges.size).toBe(MANY);
    expect([...challenges].every((text) => text.length === 43)).toBe(true);
  });

  it('each bit is set in about half of 100,000 random challenges', () => {
    const ones = new Array<number>(256).fill(0);
    for (let n = 0; n < MANY; n += 1) {
      pooledRandomBytes(32).forEach((byte, at) => {
        for (let bit = 0; bit < 8; bit += 1) {
          ones[8 * at + bit] = (ones[8 * at + bit] ?? 0) + ((byte >> bit) & 1);
        }
      });
    }
    // Eight standard deviations, which chance exceeds less than once in 10^12 runs.
    const margin = 8 * Math.sqrt(MANY / 4);
    for (const count of ones) expect(Math.abs(count - MANY / 2)).toBeLessThan(margin);
  });
});
