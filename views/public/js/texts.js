const texts = JSON.parse(document.body.dataset.texts);

/**
 * Returns a text in the page's language, from the part `script` of a file in `views/languages`.
 *
 * @param key `place.of.the.text`
 * @param values for its placeholders `{{name}}`
 */
export function text(key, values = {}) {
  const found = key.split('.').reduce((place, name) => place?.[name], texts);
  return found?.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

/** Title and text of a message; `undefined` if there is none of this name. */
export function message(key, values) {
  const title = text(`${key}.title`, values);
  return title && [title, text(`${key}.text`, values)].filter(Boolean);
}

/** The page's language with the reader's region, if it is one of the reader's languages. */
const { lang } = document.documentElement;
export const locale = navigator.languages.find((one) => one.split('-')[0] === lang) ?? lang;

/** Formats a date and time in the reader's time zone. */
export const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
