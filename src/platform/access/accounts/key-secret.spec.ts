import { isSecret, newKeySecret, secretIn, visiblePrefix } from './key-secret.js';

describe('the secret of an application key', () => {
  it('a new application key is sfk_ with 43 random characters and 6 of a checksum', () => {
    const secrets = Array.from({ length: 100 }, newKeySecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^sfk_[A-Za-z0-9_-]{49}$/);
      expect(isSecret(secret)).toBe(true);
    }
  });

  it('the example in docs/keys.md has the correct checksum', () => {
    expect(isSecret(`sfk_${'A'.repeat(43)}DCtZhg`)).toBe(true);
  });

  it('the checksum detects each changed character of an application key', () => {
    const secret = newKeySecret();
    for (let at = 4; at < secret.length; at += 1) {
      const other = secret[at] === 'A' ? 'B' : 'A';
      expect(isSecret(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    ['an empty text', ''],
    ['the prefix alone', 'sfk_'],
    ['a shortened key', newKeySecret().slice(0, -1)],
    ['a key with another character behind it', `${newKeySecret()}A`],
    ['a key with a line end', `${newKeySecret()}\n`],
    ['a key with another prefix', newKeySecret().replace('sfk_', 'sfx_')],
  ])('does not recognise %s as an application key', (_, text) =>
    expect(isSecret(text)).toBe(false),
  );

  it('an application key is named by its first 12 characters', () => {
    const secret = newKeySecret();
    expect(secret.startsWith(visiblePrefix(secret))).toBe(true);
    expect(visiblePrefix(secret)).toHaveLength(12);
  });

  it('reads an application key only from a Bearer header', () => {
    const secret = newKeySecret();
    expect(secretIn(`Bearer ${secret}`)).toBe(secret);
    expect(secretIn(`bearer  ${secret}`)).toBe(secret);
    expect(secretIn('Bearer sfk_wrong')).toBe('sfk_wrong');
    for (const other of [undefined, '', secret, `Basic ${secret}`, 'Bearer eyJ.e.s', 'Bearer']) {
      expect(secretIn(other)).toBeUndefined();
    }
  });
});
