import { createHook } from 'node:async_hooks';
import { hashPassword, passwordMatches } from './password-checks.js';

/** How often scrypt is called while some work runs. */
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

describe('passwordMatches', () => {
  let hash: string;
  beforeAll(async () => {
    hash = await hashPassword('correct horse');
  });

  it.each([
    ['the correct password', 'correct horse', true],
    ['a wrong password', 'wrong horse', false],
    ['an empty password', '', false],
    ['the correct password with a NUL behind it', 'correct horse\0', false],
    ['the correct password with a NUL in front', '\0correct horse', false],
    ['NULs alone', '\0\0\0', false],
  ])('derives exactly one key to compare %s', async (_, password, right) => {
    const n = await derivations(async () => {
      expect(await passwordMatches(password, hash)).toBe(right);
    });
    expect(n).toBe(1);
  });
});
