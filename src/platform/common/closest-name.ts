/** No known name is nearly as long; a caller may send a much longer one. */
const MAX_NAME = 64;

/**
 * The known name from which a misspelt one differs by a letter (left out, added, replaced or moved by one place), or
 * only by case, hyphens and underscores, or by the plural of a word that ends in y.
 */
export function closestName<Name extends string>(
  misspelt: string,
  known: Iterable<Name>,
): Name | undefined {
  if (misspelt.length > MAX_NAME) return undefined;
  const forms = new Set(formsOf(misspelt));
  return [...known].find((name) => formsOf(name).some((form) => forms.has(form)));
}

/** The word, the word without one of its letters, its letters and digits alone, and their singular. */
function formsOf(word: string): string[] {
  const plain = word.toLowerCase().replaceAll(/[_-]/g, '');
  return [
    word,
    ...[...word].map((_, n) => word.slice(0, n) + word.slice(n + 1)),
    plain,
    plain.replace(/ies$/, 'y'),
  ];
}
