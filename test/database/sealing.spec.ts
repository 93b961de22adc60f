import { Sealing, isSealed } from '../../src/platform/database/secrets/sealing.js';

const older = Buffer.alloc(32, 1);
const newer = Buffer.alloc(32, 2);
const PLACE = 'signing-key abc';

describe('a sealed secret of the database', () => {
  const sealing = new Sealing([newer, older]);

  it('opens a secret that it sealed, with any characters', () => {
    for (const secret of ['', 'secret', '-----BEGIN\nPRIVATE KEY-----', 'ключ 🔑']) {
      const sealed = sealing.seal(secret, PLACE);
      expect(isSealed(sealed)).toBe(true);
      expect(sealed).toMatch(/^[\x21-\x7e]+$/);
      expect(sealing.open(sealed, PLACE)).toBe(secret);
    }
  });

  it('seals the same secret differently each time', () => {
    expect(sealing.seal('secret', PLACE)).not.toBe(sealing.seal('secret', PLACE));
  });

  it('opens a sealed secret only at its own place', () => {
    const sealed = sealing.seal('secret', PLACE);
    for (const place of ['signing-key abd', 'webhook abc', '']) {
      expect(() => sealing.open(sealed, place)).toThrow(
        `the secret "${place}" in the database was altered`,
      );
    }
  });

  it('refuses a sealed secret with an altered character', () => {
    const sealed = sealing.seal('secret', PLACE);
    const [head, body = ''] = [sealed.slice(0, 21), sealed.slice(21)];
    for (let at = 0; at < body.length - 1; at += 1) {
      const other = body[at] === 'A' ? 'B' : 'A';
      const altered = head + body.slice(0, at) + other + body.slice(at + 1);
      expect(() => sealing.open(altered, PLACE)).toThrow('was altered');
    }
    expect(() => sealing.open(`${head}AAAA`, PLACE)).toThrow('was altered');
  });

  it('opens what any key of the file sealed, and seals with the first', () => {
    const before = new Sealing([older]);
    const sealed = before.seal('secret', PLACE);
    expect(sealing.open(sealed, PLACE)).toBe('secret');
    const renewed = sealing.renewed(sealed, PLACE) ?? '';
    expect(new Sealing([newer]).open(renewed, PLACE)).toBe('secret');
    expect(sealing.renewed(renewed, PLACE)).toBeUndefined();
  });

  it('reads unsealed secrets of earlier versions, and seals new ones', () => {
    expect(sealing.open('plain', PLACE)).toBe('plain');
    expect(sealing.open(sealing.renewed('plain', PLACE) ?? '', PLACE)).toBe('plain');
  });

  it('does not change secrets without a key', () => {
    const none = new Sealing([]);
    expect(none.seal('secret', PLACE)).toBe('secret');
    expect(none.renewed('secret', PLACE)).toBeUndefined();
  });

  it('names the missing key of a sealed secret', () => {
    const sealed = sealing.seal('secret', PLACE);
    const [, , id = ''] = sealed.split(':');
    expect(() => new Sealing([older]).open(sealed, PLACE)).toThrow(
      `--secret-key-file: the file lacks the key ${id}, which sealed "${PLACE}" in the database`,
    );
    expect(() => new Sealing([]).renewed(sealed, PLACE)).toThrow(
      `--secret-key-file: is needed: it has the key ${id}, which sealed "${PLACE}" in the database`,
    );
  });
});
