/** The most bytes of UTF-8 that folding makes of one byte: `և` has two, and is folded to two letters of two each. */
const GROWTH = 2;

/** The most bytes of UTF-8 that a name of a given length in bytes can have when it is folded. */
export const foldedBytes = (bytes: number): number => GROWTH * bytes;

/**
 * The one letter whose capital is folded to another letter: `I` is folded to `i`, in every language
 * (Unicode's CaseFolding, status C and F; T is for Turkish only).
 */
const DOTLESS = 'ı';

/**
 * The form by which names are compared where case does not count: full case folding (The Unicode Standard, D145
 * "canonical caseless matching"), in NFC. `STRASSE` is `straße`; `é` is not `e`. It folds letter by letter, since
 * JavaScript lowers a sigma at a word's end to another letter.
 *
 * ```ts
 * foldedName('ΟΔΥΣΣΕΎΣ@Example.COM') === foldedName('οδυσσεύς@example.com')
 * ```
 */
export function foldedName(name: string): string {
  // A fast way for most names, which are ASCII: each begin call folds one.
  if (!/[^ -~]/.test(name)) return name.toLowerCase();
  return [...name.normalize('NFD')].map(foldedLetter).join('').normalize('NFC');
}

const foldedLetter = (letter: string): string =>
  letter === DOTLESS ? letter : letter.toLowerCase().toUpperCase().toLowerCase();
