/** Most bytes of UTF-8 that folding makes of one: `և` has two, and is folded to two letters of two each. */
const GROWTH = 2;

/** Bytes of UTF-8 that the folded form of a name of so many may have. */
export const foldedBytes = (bytes: number): number => GROWTH * bytes;

/**
 * The one letter that has a capital which is folded to another one: `I` is folded to `i`, in every language
 * (Unicode's CaseFolding, status C and F; T is for Turkish alone).
 */
const DOTLESS = 'ı';

/**
 * What names are compared by where case does not count: full case folding (The Unicode Standard, D145
 * "canonical caseless matching"), in NFC. `STRASSE` is `straße`; `é` is not `e`, and what merely looks alike
 * stays apart. Letter by letter, since JavaScript has another small sigma at a word's end. The folding of a
 * letter never changes, so that every version of the runtime agrees on the letters that it knows.
 *
 * ```ts
 * foldedName('ΟΔΥΣΣΕΎΣ@Example.COM') === foldedName('οδυσσεύς@example.com')
 * ```
 */
export function foldedName(name: string): string {
  // Most names are plain, and each begin call folds one.
  if (!/[^ -~]/.test(name)) return name.toLowerCase();
  return [...name.normalize('NFD')].map(foldedLetter).join('').normalize('NFC');
}

const foldedLetter = (letter: string): string =>
  letter === DOTLESS ? letter : letter.toLowerCase().toUpperCase().toLowerCase();
