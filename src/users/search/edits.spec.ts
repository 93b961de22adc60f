import { areOneEditApart, oneEditVariants } from './edits.js';

describe('words that are one edit away from another', () => {
  const MISTYPED = [
    ['a missing letter', 'bianci'],
    ['a missing first letter', 'ianchi'],
    ['an extra letter', 'biancchi'],
    ['an extra last letter', 'bianchis'],
    ['another letter', 'bianshi'],
    ['two swapped letters', 'binachi'],
    ['two swapped last letters', 'biancih'],
    ['nothing', 'bianchi'],
  ] as const;

  it.each(MISTYPED)('contain the intended word if the typed one has %s', (_, typed) => {
    expect(oneEditVariants(typed)).toContain('bianchi');
    expect(areOneEditApart(typed, 'bianchi')).toBe(true);
  });

  it('words one edit away are not two edits away', () => {
    for (const typed of ['banci', 'bianchi12', 'ibnachi', 'b']) {
      expect(oneEditVariants(typed)).not.toContain('bianchi');
      expect(areOneEditApart(typed, 'bianchi')).toBe(false);
    }
  });

  it('there are at most some fifty words one edit away for each letter', () => {
    expect(oneEditVariants('ada').length).toBeLessThan(200);
    expect(oneEditVariants('lindstrom').length).toBeLessThan(600);
  });

  it('words one edit away keep characters of two UTF-16 units whole', () => {
    expect(oneEditVariants('𝔞𝔟c')).toContain('𝔞c');
    expect(areOneEditApart('𝔞𝔟c', '𝔟𝔞c')).toBe(true);
  });
});
