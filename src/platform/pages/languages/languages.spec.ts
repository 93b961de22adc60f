import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../project.js';
import { ENGLISH } from '../../errors/languages/en.js';
import { problem, sentenceOf } from '../../errors/reasons.js';
import {
  dateText,
  flatTexts,
  languages,
  plainText,
  translate,
  type NestedTexts,
} from './languages.js';
import { problemPhrase } from './phrase.js';

const catalogues = new Map(
  languages.map((language) => {
    const file = readFileSync(projectPath(`views/languages/${language}.json`), 'utf8');
    return [language, JSON.parse(file) as Readonly<Record<string, NestedTexts>>] as const;
  }),
);
const areas = [...Object.keys(catalogues.get('en') ?? {}), 'reasons'];

/** The key of a counted text, which has several forms: `users_one`, `users_other`. */
const counted = (key: string) => key.replace(/_(?:zero|one|two|few|many|other)$/, '');

const templateTexts = filesBelow('views', /\.hbs$/).join('\n');
const viewTexts = filesBelow('src', /(?<!\.spec)\.ts$/).join('\n');
const sources = `${templateTexts}\n${viewTexts}`;

describe.each(areas)('texts of %s', (area) => {
  const english = new Map(flatTexts(catalogueOf('en', area)));

  it.each(languages)(
    'the texts in %s are complete and have the same placeholders as in English',
    (language) => {
      const texts = new Map(flatTexts(catalogueOf(language, area)));
      expect([...texts.keys()]).toEqual(keysIn(language, english));
      for (const [key, text] of texts) {
        const original = english.get(key) ?? english.get(`${counted(key)}_other`) ?? '';
        expect([key, placeholders(text)]).toEqual([key, placeholders(original)]);
        expect([key, text === '']).toEqual([key, original === '']);
        // Texts become part of pages unescaped, and those of pages part of attributes too.
        const markup = area === 'reasons' ? /[<>&]/ : /[<>&"]/;
        expect([key, text]).toEqual([key, expect.not.stringMatching(markup)]);
      }
    },
  );

  it('templates or views use each text', () => {
    // `area:kinds.${kind}` in a view uses all texts below `kinds`.
    const families = [...sources.matchAll(/`([a-zA-Z]+):([\w.-]*)\$\{/g)].map(
      ([, of, start]) => `${of}:${start}`,
    );
    const unused = [...english.keys()]
      .filter((key) => !key.startsWith('script.'))
      .map((key) => `${area}:${counted(key)}`)
      .filter((key) => !new RegExp(`["'\`]${key}["'\`]`).test(sources))
      .filter((key) => !families.some((family) => key.startsWith(family)));
    expect(unused).toEqual([]);
  });
});

it.each(areas)('the French texts of %s have French spaces and apostrophes', (area) => {
  const wrong = flatTexts(catalogueOf('fr', area)).filter(([, text]) =>
    / [:;!?»%]|« |[\w\u00C0-\u017F]'/.test(text.replaceAll(/`[^`]*`/g, '')),
  );
  expect(wrong).toEqual([]);
});

it('the catalogues contain every key that templates and views use', () => {
  const asked = [
    ...templateTexts.matchAll(/\{\{(?:t|plain) "([a-z]+):([\w.-]+)"/gi),
    ...viewTexts.matchAll(/phrase\(\s*'([a-zA-Z]+):([\w.-]+)'/g),
  ];
  expect(asked.length).toBeGreaterThan(0);
  const missing = asked.filter(([, area = '', key = '']) => {
    const texts = [...new Map(flatTexts(catalogueOf('en', area))).keys()];
    return !texts.some((text) => counted(text) === key);
  });
  expect(missing.map(([text]) => text)).toEqual([]);
});

it('a reason appears in the language of the page, with its values', () => {
  const found = problem('account.typeToRemove', { name: 'a+b' });
  expect(sentenceOf(found)).toBe('Type a+b to confirm. Nothing was removed.');
  expect(plainText('de', problemPhrase(found))).toBe(
    'Geben Sie zur Bestätigung a+b ein. Es wurde nichts entfernt.',
  );
});

it.each([
  ['policy:fields.maxCredentials.says', { value: '1' }],
  ['tenants:remove.partyText', { users: 1, keys: 1, domain: 'acme.example' }],
  ['adoption:figures.kinds', { first: 1, further: 1 }],
  ['adoption:models.note', { synced: 1, signIns: 1 }],
  ['adoption:figures.came', { finished: 1, begun: 1, givenUp: 1 }],
  ['adoption:figures.places', { synced: 1, bound: 1 }],
  ['dashboard:figures.states', { enabled: 1, disabled: 1 }],
  ['models:used', { count: 1 }],
  ['models:more', { count: 1 }],
  ['layout:script.shortcuts.found', { n: 1 }],
  ['adoption:moved.text', { moved: 1, users: 1, to: 'acme.example', share: '100%' }],
])('the text %s uses the singular for one', (key, values) => {
  for (const language of languages) {
    const said = plainText(language, { key, values });
    expect(said).not.toMatch(
      /\b1 (?:\w+ )?(?:keys|users|ones|sign-ins|clés|utilisateurs|supplémentaires|autres|trouvés|actives|utilisées|synchronisées|commencés|Anmeldungen|connexions)/,
    );
  }
});

it.each([
  ['en', '1 October 2026'],
  ['de', '1. Oktober 2026'],
  ['fr', '1er octobre 2026'],
])('writes the first day of a month in %s as usual', (language, written) => {
  expect(dateText(language, '2026-10-01', { dateStyle: 'long' })).toBe(written);
  expect(dateText(language, '2026-10-01', { month: 'long', year: 'numeric' })).not.toMatch(/^1/);
});

it('keeps inserted values unchanged, even if they contain markup of the catalogue', () => {
  const text = translate('de', 'userFacing:enrol.headingFor', {
    name: 'Müller & Söhne $t(layout:skip)',
  });
  expect(text).toContain('Müller & Söhne $t(layout:skip)');
});

function catalogueOf(language: string, area: string): NestedTexts {
  return language === 'en' && area === 'reasons'
    ? ENGLISH
    : (catalogues.get(language)?.[area] ?? {});
}

function placeholders(text: string) {
  return [...text.matchAll(/\{\{\w+(?:, \w+)?\}\}|\]\(\w+\)/g)].map(String).sort();
}

/** The keys of English texts in a language: each counted text in all of the language's plural forms. */
function keysIn(language: string, english: ReadonlyMap<string, string>): string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const keys = new Set([...english.keys()].map(counted));
  return [...keys].flatMap((key) =>
    english.has(key) ? [key] : pluralCategories.map((form) => `${key}_${form}`),
  );
}

function filesBelow(folder: string, ending: RegExp) {
  return readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => readFileSync(projectPath(`${folder}/${file}`), 'utf8'));
}
