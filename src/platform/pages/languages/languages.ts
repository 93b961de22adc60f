import { readFileSync, readdirSync } from 'node:fs';
import { createInstance } from 'i18next';
import type { ResourceKey, ResourceLanguage } from 'i18next';
import { projectPath } from '../../project.js';
import { GERMAN } from '../../errors/languages/de.js';
import { ENGLISH } from '../../errors/languages/en.js';
import type { Reason } from '../../errors/reasons.js';
import { visible } from '../visible-characters.js';
import type { Phrase } from './phrase.js';

/** The languages of the pages, each by its own name. Readers of none of them get the first one. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

/** A language tag (BCP 47). */
export type Language = keyof typeof LANGUAGES;

export const languages = Object.keys(LANGUAGES) as readonly Language[];

const FOLDER = 'views/languages';

/** The reasons of refusals are the area `reasons`. */
const REASONS: Readonly<Record<Language, Readonly<Record<Reason, string>>>> = {
  en: ENGLISH,
  de: GERMAN,
};

/** The texts of a language. Each area of pages is a file: `t "people:…"` finds its text in `people.json`. */
function catalogueOf(language: Language): ResourceLanguage {
  const files = readdirSync(projectPath(`${FOLDER}/${language}`));
  const read = (file: string) =>
    JSON.parse(readFileSync(projectPath(`${FOLDER}/${language}/${file}`), 'utf8')) as ResourceKey;
  const areas = files.map((file) => [file.replace(/\.json$/, ''), read(file)]);
  return { ...Object.fromEntries(areas), reasons: REASONS[language] };
}

const catalogues = createInstance();
void catalogues.init({
  resources: Object.fromEntries(languages.map((language) => [language, catalogueOf(language)])),
  fallbackLng: false,
  initAsync: false,
  // Handlebars escapes the values that it writes.
  interpolation: { escapeValue: false },
});

/**
 * A text of the pages.
 *
 * @param key `area:place.of.the.text`
 * @param values values for `{{name}}` in the text, or for `{{count, number}}`, which is written in the
 *   language's way
 */
export const textOf = (
  language: Language,
  key: string,
  values: Readonly<Record<string, unknown>> = {},
): string => catalogues.t(key, { ...values, lng: language });

const writtenIn = (value: string | number) => (typeof value === 'string' ? visible(value) : value);

/** A phrase and the phrases within it, as text without markup. */
export function plainText(language: Language, { key, values = {} }: Phrase): string {
  const parts = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? plainText(language, value) : writtenIn(value),
  ]);
  return textOf(language, key, Object.fromEntries(parts) as Record<string, unknown>);
}

interface Texts {
  readonly [name: string]: string | Texts;
}

const flat = (texts: Texts, place = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[place + name, text]] : flat(text, `${place}${name}.`),
  );

/** All texts of an area in its catalogue, keyed by what follows `area:`. */
export const textsOf = (language: Language, area: string): [key: string, text: string][] =>
  flat(catalogues.getResourceBundle(language, area) as Texts);

/** The texts of an area that its scripts need, in its file below `script`. */
export const scriptTextsOf = (language: Language, area: string): object =>
  (catalogues.getResource(language, area, 'script') ?? {}) as object;
