import fc from 'fast-check';
import { Pattern } from './pattern.js';

/** Characters of one to four bytes, and special characters of other pattern languages. */
const CHARACTERS = [...'ab*%_\\\'"?[].-', 'é', 'e\u0301', 'ß', '中', '\uFFFD', '😀', '𝔞'];
const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...CHARACTERS), { maxLength }).map((parts) => parts.join(''));

/** The same by definition: tries every expansion of an asterisk. */
function matchesByDefinition(pattern: Buffer, name: Buffer): boolean {
  if (pattern.length === 0) return name.length === 0;
  if (pattern[0] === 0x2a) {
    const rest = pattern.subarray(1);
    return [...Array(name.length + 1).keys()].some((n) =>
      matchesByDefinition(rest, name.subarray(n)),
    );
  }
  return pattern[0] === name[0] && matchesByDefinition(pattern.subarray(1), name.subarray(1));
}

describe('a pattern', () => {
  it('a pattern matches exactly as its definition says, byte for byte after NFC', () => {
    fc.assert(
      fc.property(text(6), text(8), (pattern, name) => {
        const stored = name.normalize('NFC');
        const bytes = (value: string) => Buffer.from(value.normalize('NFC'), 'utf8');
        const expected = matchesByDefinition(bytes(pattern), bytes(name));
        expect(new Pattern(pattern).matches(stored)).toBe(expected);
      }),
      { numRuns: 10_000 },
    );
  });

  it('a pattern’s range contains all matches, and nothing else if the range decides', () => {
    fc.assert(
      fc.property(text(4), text(6), (pattern, name) => {
        const made = new Pattern(pattern);
        const stored = name.normalize('NFC');
        const bytes = Buffer.from(stored, 'utf8');
        const inRange = Buffer.compare(bytes, made.from) >= 0 && Buffer.compare(bytes, made.to) < 0;
        if (made.matches(stored)) {
          expect(inRange).toBe(true);
          expect(bytes.includes(made.needle)).toBe(true);
        }
        if (made.isRange) expect(made.matches(stored)).toBe(inRange);
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    ['a*', 'a', true],
    ['a*', 'ab', true],
    ['a*a', 'a', false],
    ['*', '', true],
    ['**', 'anything', true],
    ['a%', 'ab', false],
    ['_dmin', 'admin', false],
    ['[a-z]', 'b', false],
    ['?', 'b', false],
    ['e\u0301*', '\u00e9mile', true],
    ['ADMIN*', 'admin1', false],
    ['a*b*b', 'ab', false],
  ])('compares the pattern %j with the name %j: %p', (pattern, name, expected) => {
    expect(new Pattern(pattern).matches(name)).toBe(expected);
  });

  it('detects a pattern that matches every name', () => {
    expect(new Pattern('***').matchesEverything).toBe(true);
    expect(Pattern.literal('*').matchesEverything).toBe(false);
    expect(Pattern.literal('*').matches('a')).toBe(false);
    expect(Pattern.literal('*').matches('*')).toBe(true);
    expect(Pattern.literal('*').isLiteral).toBe(true);
    expect(new Pattern('*').isLiteral).toBe(false);
    for (const text of ['', '*a', 'a*', '* ']) {
      expect(new Pattern(text).matchesEverything).toBe(false);
    }
  });

  it('does not backtrack on hostile patterns', () => {
    const pattern = new Pattern(`${'*a'.repeat(500)}*b`);
    const name = 'a'.repeat(255);
    for (let n = 0; n < 1000; n += 1) expect(pattern.matches(name)).toBe(false);
  });
});
