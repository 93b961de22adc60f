/** The known name from which a misspelt one differs by a letter: left out, added, replaced or moved by one place. */
export function closestName(misspelt: string, known: Iterable<string>): string | undefined {
  const forms = new Set(shorterForms(misspelt));
  return [...known].find((name) => shorterForms(name).some((form) => forms.has(form)));
}

/** The word, and the word without one of its letters. */
const shorterForms = (word: string): string[] => [
  word,
  ...[...word].map((_, n) => word.slice(0, n) + word.slice(n + 1)),
];
