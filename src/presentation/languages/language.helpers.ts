import hbs from 'hbs';
import { visible } from '../visible.js';
import { LANGUAGES, languages, scriptTextsOf, textOf } from './languages.js';
import type { Language } from './languages.js';

/** What Handlebars hands to a helper. */
interface Call {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly data: { readonly root: { readonly language?: Language } };
}

/** A page that is not translated yet names no language: it is English. */
const languageOfPage = ({ data }: Call): Language => data.root.language ?? 'en';

const MARKS = /[*[\]]/g;
const markless = (mark: string) => `&#${mark.charCodeAt(0)};`;

/** What a person chose, in a text of either direction; its asterisks and brackets are its own. */
const isolated = (value: unknown) =>
  `<bdi>${hbs.handlebars.escapeExpression(visible(value)).replaceAll(MARKS, markless)}</bdi>`;

/** A number is not what a person chose, and decides between singular and plural as `count`. */
const placed = (value: unknown) => (typeof value === 'number' ? value : isolated(value));

const valuesOf = ({ hash }: Call, write: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(hash).map(([name, value]) => [name, write(value)]));

/** What texts mark, and how that is written; `to` is where the part in brackets leads. */
const marked = (text: string, to: unknown): string =>
  text
    .replaceAll(/\*\*(.+?)\*\*/g, '<b>$1</b>')
    .replaceAll(/`(.+?)`/g, '<code>$1</code>')
    .replaceAll(/\[(.+?)\]/g, (part: string, label: string) =>
      to === undefined
        ? part
        : `<a href="${hbs.handlebars.escapeExpression(to as string)}">${label}</a>`,
    );

/**
 * `{{t "people:enrol.heading" name=relyingParty.name}}`; `**of weight**` in a text is written bold, code stands
 * in backquotes, and `[what is in brackets]` leads to the address that is given as `to`.
 */
export function t(key: string, call: Call) {
  const { to } = call.hash;
  const text = textOf(languageOfPage(call), key, valuesOf(call, placed));
  return new hbs.handlebars.SafeString(marked(text, to));
}

/** The same for an attribute, which holds no elements: `aria-label="{{plain "billing:lines" tenant=name}}"`. */
export const plain = (key: string, call: Call): string =>
  textOf(
    languageOfPage(call),
    key,
    valuesOf(call, (value) => (typeof value === 'number' ? value : visible(value))),
  );

/** The languages that a reader can choose, and which of them the page is in. */
export const languageChoices = (call: Call) =>
  languages.map((code) => ({
    code,
    name: LANGUAGES[code],
    isCurrent: code === languageOfPage(call),
  }));

/** What the scripts of a page say, as JSON: `<body data-texts="{{scriptTexts texts}}">` */
export function scriptTexts(area: string | undefined, call: Call): string {
  const language = languageOfPage(call);
  const texts = { ...scriptTextsOf(language, 'layout'), ...scriptTextsOf(language, area ?? '') };
  return JSON.stringify(texts);
}
