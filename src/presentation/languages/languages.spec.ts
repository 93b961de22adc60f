import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../config/project.js';
import { CATALOGUE } from '../../errors/catalogue.js';
import { languages, plainText, textOf } from './languages.js';
import { phraseOf, phraseOfCode } from './sentences.js';

type Texts = { readonly [name: string]: string | Texts };

const FOLDER = projectPath('views/languages');
const areas = readdirSync(`${FOLDER}/en`).map((file) => file.replace('.json', ''));
const catalogueOf = (language: string, area: string) =>
  JSON.parse(readFileSync(`${FOLDER}/${language}/${area}.json`, 'utf8')) as Texts;

/** All texts below a place, by their whole keys. */
const flat = (texts: Texts, place = ''): [string, string][] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[place + name, text]] : flat(text, `${place}${name}.`),
  );
const placeholders = (text: string) =>
  [...text.matchAll(/\{\{\w+(?:, \w+)?\}\}|\]\(\w+\)/g)].map(String).sort();
/** The key of a counted text, which has several forms: `users_one`, `users_other`. */
const counted = (key: string) => key.replace(/_(?:one|other)$/, '');

const filesBelow = (folder: string, ending: RegExp) =>
  readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => readFileSync(projectPath(`${folder}/${file}`), 'utf8'));
const templateTexts = filesBelow('views', /\.hbs$/).join('\n');
const viewTexts = filesBelow('src', /(?<!\.spec)\.ts$/).join('\n');
const sources = `${templateTexts}\n${viewTexts}`;

describe.each(areas)('texts of %s', (area) => {
  const english = new Map(flat(catalogueOf('en', area)));

  it.each(languages)('are whole in %s, and say of the same things', (language) => {
    const texts = new Map(flat(catalogueOf(language, area)));
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [key, text] of texts) {
      expect([key, placeholders(text)]).toEqual([key, placeholders(english.get(key) ?? '')]);
      expect([key, text === '']).toEqual([key, english.get(key) === '']);
      // Texts stand in pages and attributes as they are; sentences of errors are escaped there.
      const markup = area === 'sentences' ? /[<>&]/ : /[<>&"]/;
      expect([key, text]).toEqual([key, expect.not.stringMatching(markup)]);
    }
  });

  it('are all said by a template or a view', () => {
    // `area:kinds.${kind}` in a view asks for all texts below `kinds`.
    const families = [...sources.matchAll(/`([a-z]+):([\w.-]*)\$\{/g)].map(
      ([, of, start]) => `${of}:${start}`,
    );
    const unused = [...english.keys()]
      .filter((key) => !key.startsWith('script.') && area !== 'sentences')
      .map((key) => `${area}:${counted(key)}`)
      .filter((key) => !new RegExp(`["'\`]${key}["'\`]`).test(sources))
      .filter((key) => !families.some((family) => key.startsWith(family)));
    expect(unused).toEqual([]);
  });
});

it('are there for all that templates and views ask for', () => {
  const asked = [
    ...templateTexts.matchAll(/\{\{(?:t|plain) "([a-z]+):([\w.-]+)"/gi),
    ...viewTexts.matchAll(/phrase\(\s*'([a-z]+):([\w.-]+)'/g),
  ];
  expect(asked.length).toBeGreaterThan(0);
  const missing = asked.filter(([, area = '', key = '']) => {
    const texts = [...new Map(flat(catalogueOf('en', area))).keys()];
    return !texts.some((text) => counted(text) === key);
  });
  expect(missing.map(([text]) => text)).toEqual([]);
});

it('are those that errors say, where they are sentences of errors', () => {
  // Some sentences are written in two lines, and rules follow the name of their field.
  const made = viewTexts.replaceAll("\\'", "'").replaceAll(/['"`] \+\s+['"`]/g, '');
  const unmade = flat(catalogueOf('en', 'sentences'))
    .map(([, text]) => /^"\{\{field\}\}" (.+)\.$/.exec(text)?.[1] ?? text)
    .flatMap((text) => text.split(/\{\{\w+\}\}/))
    .filter((part) => !made.includes(part));
  expect(unmade).toEqual([]);
});

describe('a sentence of an error', () => {
  const german = (sentence: string) => {
    const known = phraseOf(sentence);
    return known && plainText('de', known);
  };

  it('is said in the language of the page, with what stands in it', () => {
    expect(german(CATALOGUE.E0043R[1])).toBe('Das ist nicht erlaubt.');
    expect(german('Type a+b to confirm. Nothing was removed.')).toBe(
      'Geben Sie zur Bestätigung a+b ein. Es wurde nichts entfernt.',
    );
  });

  it('is that of a rule, too, whatever its field is', () => {
    expect(german('"from" must be a calendar day as YYYY-MM-DD.')).toBe(
      '„from“ muss ein Kalendertag sein, geschrieben JJJJ-MM-TT.',
    );
  });

  it('is not guessed', () => {
    expect(german('Nobody has written this one.')).toBeUndefined();
    expect(phraseOfCode('E0043R')).toEqual({ key: 'sentences:codes.E0043R' });
    expect(phraseOfCode('E1000R')).toBeUndefined();
  });
});

it('say what is put into them as it is', () => {
  const text = textOf('de', 'people:enrol.headingFor', { name: 'Müller & Söhne $t(layout:skip)' });
  expect(text).toContain('Müller & Söhne $t(layout:skip)');
});
