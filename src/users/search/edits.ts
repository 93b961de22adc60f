/** The letters that a typing error may leave out or put in the place of another; folded names have few others. */
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/**
 * The word itself and all words that are one edit away: a letter missing, added or another, or two neighbours swapped.
 * They are some fifty for each letter of the word.
 *
 * @param word folded
 */
export function oneEditVariants(word: string): readonly string[] {
  const characters = [...word];
  const variants = new Set([word]);
  for (let at = 0; at <= characters.length; at += 1) {
    const before = characters.slice(0, at).join('');
    const [first = '', second = '', ...others] = characters.slice(at);
    const rest = others.join('');
    variants.add(before + second + rest).add(before + second + first + rest);
    for (const letter of LETTERS) {
      variants.add(before + letter + first + second + rest).add(before + letter + second + rest);
    }
  }
  return [...variants];
}

/** Whether two words are equal or one edit apart, as in `oneEditVariants` but with any letter. */
export function areOneEditApart(one: string, other: string): boolean {
  const a = [...one];
  const b = [...other];
  while (a.length > 0 && b.length > 0 && a[0] === b[0]) {
    a.shift();
    b.shift();
  }
  while (a.length > 0 && b.length > 0 && a.at(-1) === b.at(-1)) {
    a.pop();
    b.pop();
  }
  const areSwapped = a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  return areSwapped || (a.length <= 1 && b.length <= 1);
}
