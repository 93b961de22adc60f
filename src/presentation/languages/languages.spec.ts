import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../config/project.js';
import { plain, t } from './language.helpers.js';
import { languages, textOf } from './languages.js';

type Texts = { readonly [name: string]: string | Texts };

const FOLDER = projectPath('views/languages');
const areas = readdirSync(`${FOLDER}/en`).map((file) => file.replace('.json', ''));
const catalogueOf = (language: string, area: string) =>
  JSON.parse(readFileSync(`${FOLDER}/${language}/${area}.json`, 'utf8')) as Texts;

/** All texts below, by the whole key. */
const flat = (texts: Texts, place = ''): [string, string][] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[place + name, text]] : flat(text, `${place}${name}.`),
  );
const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(String).sort();

const filesBelow = (folder: string, ending: string) =>
  readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(projectPath(`${folder}/${file}`), 'utf8'));
const templates = filesBelow('views', '.hbs').join('\n');
const sources = filesBelow('src', '.ts').join('\n');
/** `policy:fields.` of `policy:fields.${name}.label`: one of several texts is chosen there. */
const chosenFrom = [...sources.matchAll(/`([a-z]+:[\w.-]*)\$\{/gi)].map(([, start = '']) => start);
/** A text that speaks of a number has a singular and a plural. */
const withoutNumber = (key: string) => key.replace(/_(?:one|other)$/, '');

const isUsed = (key: string) =>
  templates.includes(`"${key}"`) ||
  sources.includes(`'${key}'`) ||
  chosenFrom.some((start) => key.startsWith(start));

describe.each(areas)('texts of %s', (area) => {
  const english = new Map(flat(catalogueOf('en', area)));

  it.each(languages)('are whole in %s, and say of the same things', (language) => {
    const texts = new Map(flat(catalogueOf(language, area)));
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [key, text] of texts) {
      expect([key, placeholders(text)]).toEqual([key, placeholders(english.get(key) ?? '')]);
      expect([key, text === '']).toEqual([key, english.get(key) === '']);
      // They stand in pages and in attributes as they are.
      expect([key, text]).toEqual([key, expect.not.stringMatching(/[<>&"]/)]);
    }
  });

  it('are all used by a template, or by the code behind one', () => {
    const unused = [...english.keys()]
      .filter((key) => !key.startsWith('script.'))
      .filter((key) => !isUsed(`${area}:${withoutNumber(key)}`));
    expect(unused).toEqual([]);
  });
});

it('are there for all that templates ask for', () => {
  const asked = [...templates.matchAll(/[{(](?:t|plain) "([a-z]+):([\w.-]+)"/gi)];
  expect(asked.length).toBeGreaterThan(0);
  const missing = asked.filter(([, area = '', key = '']) => {
    const texts = new Map(flat(catalogueOf('en', area)));
    return !texts.has(key) && !texts.has(`${key}_other`);
  });
  expect(missing.map(String)).toEqual([]);
});

it('say what is put into them as it is', () => {
  const text = textOf('de', 'people:enrol.headingFor', { name: 'Müller & Söhne $t(layout:skip)' });
  expect(text).toContain('Müller & Söhne $t(layout:skip)');
});

describe('a text of a template', () => {
  const call = (hash: object) => ({ hash, data: { root: {} } }) as Parameters<typeof t>[1];

  it('marks only what the catalogue marks', () => {
    const key = 'people:enrol.headingFor';
    expect(String(t(key, call({ name: '**a** `b` [c]', to: '/x' })))).toBe(
      'Set up your key for <bdi>&#42;&#42;a&#42;&#42; &#x60;b&#x60; &#91;c&#93;</bdi>',
    );
    expect(String(t(key, call({ name: 7 })))).toBe('Set up your key for 7');
  });

  it('is without elements in an attribute', () =>
    expect(plain('people:enrol.headingFor', call({ name: 'a\u202Eb' }))).toBe(
      'Set up your key for a‹U+202E›b',
    ));
});
