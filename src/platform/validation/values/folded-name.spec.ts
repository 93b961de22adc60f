import { foldedBytes, foldedName } from './folded-name.js';
import { MAX_NAME_BYTES } from './names.js';

describe('names where case does not count (Unicode D145)', () => {
  it.each([
    ['Anna@Example.COM', 'anna@example.com'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΥΣΣΕΎΣ', 'οδυσσεύς'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['Ю́РИЙ', 'ю́рий'],
    ['ꭰꮃ', 'ᎠᎳ'],
    ['\u212aelvin', 'kelvin'],
    ['ﬁn', 'FIN'],
    ['ŉ', 'ʼN'],
    ['RENÉE', 'rene\u0301e'],
    ['\u1f84', '\u1f0c\u0399'.normalize('NFD')],
    ['İ', 'i\u0307'],
    ['ǅ', 'ǆ'],
  ])('finds the names %s and %s the same (Unicode D145)', (one, other) =>
    expect(foldedName(one)).toBe(foldedName(other)),
  );

  it.each([
    ['é', 'e'],
    ['ı', 'i'],
    ['I', 'ı'],
    ['İ', 'i'],
    ['ø', 'o'],
    ['æ', 'ae'],
    ['а', 'a'],
    ['ａ', 'a'],
    ['①', '1'],
    ['が', 'か'],
  ])('finds the names %s and %s different', (one, other) =>
    expect(foldedName(one)).not.toBe(foldedName(other)),
  );

  it('folds a name only once, in NFC, and never beyond the length of its column', () => {
    for (let code = 0x20; code < 0x2_0000; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const letter = String.fromCodePoint(code).normalize('NFC');
      const folded = foldedName(letter);
      if (foldedName(folded) !== folded || folded.normalize('NFC') !== folded) {
        throw new Error(`${letter} is folded to ${folded}`);
      }
      const most = foldedBytes(Buffer.byteLength(letter));
      if (Buffer.byteLength(folded) > most) throw new Error(`${letter}: ${folded}`);
    }
    const longest = 'և'.repeat(Math.floor(MAX_NAME_BYTES / 2));
    expect(Buffer.byteLength(foldedName(longest))).toBe(508);
    expect(foldedBytes(MAX_NAME_BYTES)).toBe(510);
  });

  it('finds the letters of one case pair the same, as Unicode pairs them', () => {
    const letters = Array.from({ length: 0x1_0000 }, (_, n) => n)
      .filter((code) => code < 0xd800 || code >= 0xe000)
      .map((code) => String.fromCodePoint(code));
    // The `i` flag uses JavaScript's own simple case folding, which pairs fewer letters than full folding.
    const unlike = letters.filter((letter) => {
      const [other] = [letter.toUpperCase(), letter.toLowerCase()].filter((one) => one !== letter);
      const pair = other !== undefined && [...other].length === 1;
      return (
        pair &&
        new RegExp(`^${letter}$`, 'iu').test(other) &&
        foldedName(letter) !== foldedName(other)
      );
    });
    expect(unlike).toEqual([]);
  });
});
