/** Maximum growth of UTF-8 by folding: `և` has two bytes, and is folded to two letters of two bytes each. */
const GROWTH = 2;

/** Maximum size in bytes of a folded name whose unfolded name has this size. */
export const foldedBytes = (bytes: number): number => GROWTH * bytes;

/**
 * The one letter whose capital is folded to another letter: `I` is folded to `i`, in every language
 * (Unicode's CaseFolding, status C and F; T is for Turkish only).
 */
const DOTLESS = 'ı';

/**
 * The form in which names are compared if case is ignored: full case folding (The Unicode Standard, D145
 * "canonical caseless matching"), in NFC. `STRASSE` equals `straße`; `é` does not equal `e`. It folds letter by letter,
 * since JavaScript converts a sigma at a word's end to another lower-case letter.
 *
 * ```ts
 * foldedName('ΟΔΥΣΣΕΎΣ@Example.COM') === foldedName('οδυσσεύς@example.com')
 * ```
 */
export function foldedName(name: string): string {
  // A fast path for most names, which are ASCII: each begin call folds one.
  if (!/[^ -~]/.test(name)) return name.toLowerCase();
  return [...name.normalize('NFD')].map(foldedLetter).join('').normalize('NFC');
}

const foldedLetter = (letter: string): string =>
  letter === DOTLESS ? letter : letter.toLowerCase().toUpperCase().toLowerCase();
