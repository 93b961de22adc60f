import { isSecret, newKeySecret, secretIn, visiblePrefix } from './key-secret.js';

describe('the secret of an application key', () => {
  it('is sfk_, 43 random characters and 6 characters of their CRC-32', () => {
    const secrets = Array.from({ length: 100 }, newKeySecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^sfk_[A-Za-z0-9_-]{49}$/);
      expect(isSecret(secret)).toBe(true);
    }
  });

  it('has the checksum that docs/keys.md gives for its example', () => {
    expect(isSecret(`sfk_${'A'.repeat(43)}DCtZhg`)).toBe(true);
  });

  it('differs from every text with one changed character', () => {
    const secret = newKeySecret();
    for (let at = 4; at < secret.length; at += 1) {
      const other = secret[at] === 'A' ? 'B' : 'A';
      expect(isSecret(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    ['nothing', ''],
    ['its mark alone', 'sfk_'],
    ['one that was cut off', newKeySecret().slice(0, -1)],
    ['one with more behind it', `${newKeySecret()}A`],
    ['one with a line end', `${newKeySecret()}\n`],
    ['another mark', newKeySecret().replace('sfk_', 'sfx_')],
  ])('is not recognised in %s', (_, text) => expect(isSecret(text)).toBe(false));

  it('is named by its first characters, which leaves 35 characters hidden', () => {
    const secret = newKeySecret();
    expect(secret.startsWith(visiblePrefix(secret))).toBe(true);
    expect(visiblePrefix(secret)).toHaveLength(12);
  });

  it('is read only from a Bearer header', () => {
    const secret = newKeySecret();
    expect(secretIn(`Bearer ${secret}`)).toBe(secret);
    expect(secretIn(`bearer  ${secret}`)).toBe(secret);
    expect(secretIn('Bearer sfk_wrong')).toBe('sfk_wrong');
    for (const other of [undefined, '', secret, `Basic ${secret}`, 'Bearer eyJ.e.s', 'Bearer']) {
      expect(secretIn(other)).toBeUndefined();
    }
  });
});
