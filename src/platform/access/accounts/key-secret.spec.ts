import { isSecret, newSecret, secretIn, shownOf } from './key-secret.js';

describe('the secret of an application key', () => {
  it('is sfk_, 43 random characters and 6 characters of their CRC-32', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
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
    const secret = newSecret();
    for (let at = 4; at < secret.length; at += 1) {
      const other = secret[at] === 'A' ? 'B' : 'A';
      expect(isSecret(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    ['nothing', ''],
    ['its mark alone', 'sfk_'],
    ['one that was cut off', newSecret().slice(0, -1)],
    ['one with more behind it', `${newSecret()}A`],
    ['one with a line end', `${newSecret()}\n`],
    ['another mark', newSecret().replace('sfk_', 'sfx_')],
  ])('is not recognised in %s', (_, text) => expect(isSecret(text)).toBe(false));

  it('is named by its first characters, which leaves 35 characters hidden', () => {
    const secret = newSecret();
    expect(secret.startsWith(shownOf(secret))).toBe(true);
    expect(shownOf(secret)).toHaveLength(12);
  });

  it('is read only from a Bearer header', () => {
    const secret = newSecret();
    expect(secretIn(`Bearer ${secret}`)).toBe(secret);
    expect(secretIn(`bearer  ${secret}`)).toBe(secret);
    expect(secretIn('Bearer sfk_wrong')).toBe('sfk_wrong');
    for (const other of [undefined, '', secret, `Basic ${secret}`, 'Bearer eyJ.e.s', 'Bearer']) {
      expect(secretIn(other)).toBeUndefined();
    }
  });
});
