const texts = JSON.parse(document.body.dataset.texts);

/**
 * A text of the page's language, as the catalogues of `views/languages` have it below `script`.
 *
 * @param key `place.of.the.text`
 * @param values for what stands in it as `{{name}}`
 */
export function text(key, values = {}) {
  const found = key.split('.').reduce((place, name) => place?.[name], texts);
  return found?.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

/** Title and text of a message; `undefined` where there is none of this name. */
export function message(key, values) {
  const title = text(`${key}.title`, values);
  return title && [title, text(`${key}.text`, values)].filter(Boolean);
}

/** The page's language as the reader's own country writes it, where it is one of the reader's. */
const { lang } = document.documentElement;
export const locale = navigator.languages.find((one) => one.split('-')[0] === lang) ?? lang;

/** A moment, in the reader's time zone. */
export const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
