import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { createInstance, type ResourceLanguage } from 'i18next';
import type { Request } from 'express';
import { projectPath } from '../../project.js';
import { ENGLISH } from '../../errors/languages/en.js';
import { visible } from '../visible-characters.js';
import { cookieIn } from '../../http/cookies.js';
import type { Phrase } from './phrase.js';

const FOLDER = projectPath('views/languages');

/** A language tag (BCP 47), the name of a file in `views/languages`. */
export type Language = string;

/** The languages of the pages. A reader who prefers none of them gets the first one. */
export const languages: readonly Language[] = [
  ...new Set([
    'en',
    ...readdirSync(FOLDER)
      .map((file) => basename(file, '.json'))
      .sort(),
  ]),
];

/** The texts of a language, by area: `t "people:…"` finds its text below `people`. */
const catalogueOf = (language: Language): ResourceLanguage =>
  JSON.parse(readFileSync(`${FOLDER}/${language}.json`, 'utf8')) as ResourceLanguage;

const catalogues = createInstance();
void catalogues.init({
  resources: Object.fromEntries(languages.map((language) => [language, catalogueOf(language)])),
  // A manually added language may lack texts of a later version.
  fallbackLng: 'en',
  // A page then shows the whole key of a missing text, which the tests look for.
  appendNamespaceToMissingKey: true,
  initAsync: false,
  // Handlebars escapes the values.
  interpolation: { escapeValue: false },
});
catalogues.addResourceBundle('en', 'reasons', ENGLISH);
catalogues.services.formatter?.add('day', (time: unknown, language = 'en') =>
  typeof time === 'number' ? dateText(language, time, { dateStyle: 'long' }) : String(time),
);
catalogues.services.formatter?.add('moment', (time: number | string, language = 'en') =>
  dateText(language, time, { dateStyle: 'long', timeStyle: 'short' }),
);

/**
 * A text of the pages.
 *
 * @param key `area:place.of.the.text`
 * @param values values for `{{name}}` in the text, or for `{{count, number}}`, which is written in the
 *   language's format
 */
export const translate = (
  language: Language,
  key: string,
  values: Readonly<Record<string, unknown>> = {},
): string => catalogues.t(key, { ...values, lng: language });

/** A day, month or moment of the UTC calendar, in the format of a language. */
export const dateText = (
  language: Language,
  time: number | string,
  style: Intl.DateTimeFormatOptions,
): string =>
  new Intl.DateTimeFormat(translate(language, 'layout:language.dates'), {
    ...style,
    timeZone: 'UTC',
  })
    .formatToParts(new Date(time))
    .map(({ type, value }) =>
      type === 'day' && value === '1' ? translate(language, 'layout:language.firstDay') : value,
    )
    .join('');

/**
 * A phrase and the phrases within it.
 *
 * @param shown converts each text among their values
 */
export function phraseText(
  language: Language,
  { key, values = {} }: Phrase,
  shown: (text: string) => string,
): string {
  const parts = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'object') return [name, phraseText(language, value, shown)] as const;
    return [name, typeof value === 'string' ? shown(value) : value] as const;
  });
  return translate(language, key, Object.fromEntries(parts));
}

export const plainText = (language: Language, phrase: Phrase): string =>
  phraseText(language, phrase, visible);

interface Texts {
  readonly [name: string]: string | Texts;
}

const flat = (texts: Texts, place = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[place + name, text]] : flat(text, `${place}${name}.`),
  );

/** All texts of an area in its catalogue, by the part of the key after `area:`. */
export const textsOf = (language: Language, area: string): [key: string, text: string][] =>
  flat(catalogues.getResourceBundle(language, area) as Texts);

export const scriptTextsOf = (language: Language, area: string): object =>
  (catalogues.getResource(language, area, 'script') ?? {}) as object;

/** Written by the switch on each page (`views/public/js`). */
const COOKIE = 'servicefido-language';

/** The language that the reader chose by the switch, else the one that the browser prefers (RFC 9110 §12.5.4). */
function languageOf(request: Request): Language {
  const chosen = cookieIn(request, COOKIE);
  const known = languages.find((language) => language === chosen);
  const accepted = request.acceptsLanguages([...languages]);
  return known ?? (accepted === false ? 'en' : accepted);
}

/** The language of a page; adds the headers that it depends on to `Vary`, for caches. */
export function languageFor(request: Request): Language {
  request.res?.vary('Accept-Language').vary('Cookie');
  return languageOf(request);
}
