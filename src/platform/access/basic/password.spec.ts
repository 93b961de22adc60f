import { createHook } from 'node:async_hooks';
import { scryptSync } from 'node:crypto';
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

describe('the cost of a password hash', () => {
  it('a new password hash names no cost, which means N = 32768, r = 8 and p = 1', async () => {
    const hash = await hashPassword('correct horse');
    const [, salt = '', key] = hash.split('$');
    const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
    const derived = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, cost);
    expect(hash).toBe(`scrypt$${salt}$${key}`);
    expect(derived.toString('base64url')).toBe(key);
  });

  it('a password hash of another cost is checked at that cost, and at no other', async () => {
    const cheap = await hashPassword('correct horse', 4);
    expect(cheap).toMatch(/\$4$/);
    expect(await passwordMatches('correct horse', cheap)).toBe(true);
    expect(await passwordMatches('wrong horse', cheap)).toBe(false);
    expect(await passwordMatches('correct horse', cheap.replace(/\$4$/, ''))).toBe(false);
    expect(await passwordMatches('correct horse', cheap.replace(/\$4$/, '$5'))).toBe(false);
  });

  it.each(['$0', '$21', '$4x', '$-1', '$', '$4$4'])(
    'a password hash that ends in "%s" matches no password',
    async (end) => {
      const hash = await hashPassword('correct horse');
      expect(await passwordMatches('correct horse', hash + end)).toBe(false);
    },
  );
});
