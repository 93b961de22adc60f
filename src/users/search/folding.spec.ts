import { SearchText } from './search-text.js';
import { WORD_BYTES, searchEntries, foldedWords } from './folding.js';

const textsOf = (username: string, displayName: string) =>
  searchEntries({ username, displayName }).map((bytes) => bytes.toString('utf8'));

it.each([
  ['Søren Łukasz STRASSE', 'Soren Lukasz Straße'],
  ['æther', 'AETHER'],
  ['Đorđe', 'dorde'],
  ['Ümit İnan ırmak', 'umit inan irmak'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['Ёлка', 'елка'],
  ['ｆｕｌｌ ﬁne ①', 'full fine 1'],
  ["O'Brien d’Angelo", 'OBRIEN DANGELO'],
  ['anna.andersson@example.com', 'Anna-Andersson EXAMPLE/com'],
])('splits %s into the same words as %s', (one, other) => {
  expect(foldedWords(one)).toEqual(foldedWords(other));
});

it('indexes the full names and each word once', () => {
  expect(textsOf('anna', 'Anna Andersson')).toEqual([
    ' anna',
    ' anna andersson',
    'anna',
    'andersson',
  ]);
  expect(textsOf('anna', 'Anna')).toEqual([' anna', 'anna']);
  expect(textsOf('🐙', '%')).toEqual([]);
});

it('indexes the parts of O’Brien, and each end of a name without spaces', () => {
  const brien = [' x', ' pat obrien', 'x', 'pat', 'obrien', 'o', 'brien'];
  expect(textsOf('x', "Pat O'Brien")).toEqual(brien);
  expect(textsOf('y', '山田太郎')).toEqual([' y', 'y', '山田太郎', '田太郎', '太郎', '郎']);
});

it('indexes Müller and Søren with and without their special letters', () => {
  expect(textsOf('z', 'Jörg Müller')).toEqual([
    ' z',
    ' jorg muller',
    'z',
    'jorg',
    'muller',
    'joerg',
    'mueller',
  ]);
  expect(textsOf('s', 'Søren')).toEqual([' s', 's', 'soren', 'soeren']);
});

it('cuts long words between characters and limits the number of words', () => {
  const many = Array.from({ length: 60 }, (_, n) => String.fromCodePoint(0x61 + (n % 26)) + n);
  const entries = searchEntries({ username: 'ł'.repeat(120), displayName: many.join(' ') });
  expect(entries).toHaveLength(32);
  expect(Math.max(...entries.map(({ length }) => length))).toBeLessThanOrEqual(WORD_BYTES);
  const [, long] = searchEntries({ username: '語'.repeat(80), displayName: '語' });
  expect(long?.toString('utf8')).toBe('語'.repeat(32));
});

describe('SearchText', () => {
  const anna = { username: 'a.andersson@example.com', displayName: 'Anna Maria Åkerström' };

  it.each(['anna', 'AKER', 'strom', 'maria anna', 'a.andersson@ex', 'åkerström example'])(
    'the search %s matches only if it contains the beginning of a word',
    (text) => expect(new SearchText(text).fits(anna)).toBe(text !== 'strom'),
  );

  it('ranks the user name first, then the full name, whole words and prefixes', () => {
    const ranks = [anna.username, 'anna maria akerstrom', 'maria anna', 'mar'];
    expect(ranks.map((text) => new SearchText(text).rank(anna))).toEqual([0, 1, 2, 3]);
  });
});
