import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../config/project.js';
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

  it('are all used by a template', () => {
    const unused = [...english.keys()]
      .filter((key) => !key.startsWith('script.'))
      .filter((key) => !templates.includes(`"${area}:${key}"`));
    expect(unused).toEqual([]);
  });
});

it('are there for all that templates ask for', () => {
  const asked = [...templates.matchAll(/\{\{t "([a-z]+):([\w.-]+)"/gi)];
  expect(asked.length).toBeGreaterThan(0);
  const missing = asked.filter(
    ([, area = '', key = '']) => !new Map(flat(catalogueOf('en', area))).has(key),
  );
  expect(missing.map(String)).toEqual([]);
});

it('say what is put into them as it is', () => {
  const text = textOf('de', 'people:enrol.headingFor', { name: 'Müller & Söhne $t(layout:skip)' });
  expect(text).toContain('Müller & Söhne $t(layout:skip)');
});
