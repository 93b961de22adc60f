import { createHook } from 'node:async_hooks';
import { hashPassword, isOutdated, passwordMatches } from './password.js';

/** Made by a version without parameters in hashes. */
const OUTDATED = 'scrypt$1kFyszIeEuWTowVsUzH2Tw$HeWUXp7SotuwirsbBuRK2Rqygb_wdCg2Q75iqJxY0nk';

/** How often scrypt is asked for while something runs. */
async function derivations(work: () => Promise<unknown>): Promise<number> {
  let n = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'SCRYPTREQUEST') n += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return n;
}

describe('passwords', () => {
  let hash: string;
  beforeAll(async () => {
    hash = await hashPassword('correct horse');
  });

  it.each([
    ['the right one', 'correct horse', true],
    ['a wrong one', 'wrong horse', false],
    ['an empty one', '', false],
    ['a NUL behind the right one', 'correct horse\0', false],
    ['a NUL in front', '\0correct horse', false],
    ['NULs alone', '\0\0\0', false],
  ])('%s costs exactly one derivation', async (_, password, right) => {
    const n = await derivations(async () => {
      expect(await passwordMatches(password, hash)).toBe(right);
    });
    expect(n).toBe(1);
  });

  it('have hashes with the parameters that made them', () => {
    expect(hash).toMatch(/^scrypt\$15,8,3\$/);
    expect(isOutdated(hash)).toBe(false);
  });

  it('match hashes without parameters, by two derivations that cost as much as one', async () => {
    expect(isOutdated(OUTDATED)).toBe(true);
    for (const [password, right] of [
      ['correct horse: battery', true],
      ['wrong', false],
    ] as const) {
      const n = await derivations(async () => {
        expect(await passwordMatches(password, OUTDATED)).toBe(right);
      });
      expect(n).toBe(2);
    }
  });

  it.each(['scrypt$16,8,3', 'scrypt$15,8,1', 'scrypt$30,8,3'])(
    'match no hash with other parameters: %s',
    async (start) => {
      const [, , ...rest] = hash.split('$');
      expect(await passwordMatches('correct horse', [start, ...rest].join('$'))).toBe(false);
    },
  );
});
