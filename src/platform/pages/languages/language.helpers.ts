import hbs from 'hbs';
import type { Problem } from '../../errors/reasons.js';
import { utc, visible } from '../visible-characters.js';
import {
  dateText,
  languages,
  phraseText,
  plainText,
  scriptTextsOf,
  translate,
  textsOf,
  type Language,
} from './languages.js';
import { phrase, problemPhrase, type Phrase, type PhraseValue, type Text } from './phrase.js';

const { SafeString, escapeExpression } = hbs.handlebars;

/** The options that Handlebars passes to a helper. */
export interface HelperCall {
  readonly hash: Readonly<Record<string, PhraseValue>>;
  readonly data: { readonly root: { readonly language?: Language } };
}

/** A page that is not translated yet names no language: it is English. */
export const languageOfPage = ({ data }: HelperCall): Language => data.root.language ?? 'en';

/** Markup characters, and the first character of an option. */
const MARKS = /[*`[\]()]|(?<![\w-])-(?=-)/g;
const asEntity = (mark: string): string => `&#${mark.charCodeAt(0)};`;

/** A value from a user, for example a name, keeps its own direction, and its asterisks are not markup. */
const isolated = (value: string) =>
  `<bdi>${escapeExpression(visible(value)).replaceAll(MARKS, asEntity)}</bdi>`;

/** A script of the page formats it in the time zone of the reader. */
const asTime = (time: string): string => `<time datetime="${time}">${utc(time)}</time>`;

/** Code, or an option of the server. */
const CODE = /`(.+?)`|(?<![\w-])--[a-z][a-z-]*/g;

/** Browsers would break an option after its hyphens. */
const asCode = (whole: string, code = whole): string =>
  code.startsWith('--') ? `<code class="option">${code}</code>` : `<code>${code}</code>`;

function markedUp(language: Language, text: Phrase) {
  const link = (_: string, words: string, name: string) =>
    `<a href="${escapeExpression(String(text.values?.[name]))}">${words}</a>`;
  // Phrases within it have markup too, so it is converted last.
  const html = phraseText(language, text, isolated, asTime)
    .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replaceAll(CODE, asCode)
    .replaceAll(/\[(.+?)\]\((\w+)\)/g, link);
  return new SafeString(html);
}

/**
 * `{{t "userFacing:enrol.heading" name=relyingParty.name}}`. In a text, `**this**` becomes bold, `` `this` `` and
 * an option (`--this`) become code, and `[these words](address)` a link to the value named `address`.
 */
const t = (key: string, call: HelperCall) =>
  markedUp(languageOfPage(call), { key, values: call.hash });

/** `{{say heading}}`: a phrase of the view model, or an unchanged text. */
const say = (text: Text | undefined, call: HelperCall) =>
  typeof text === 'object' ? markedUp(languageOfPage(call), text) : visible(text);

const FIELDS = 'fields.';
/** The reasons that have another sentence beside a field: in the words of the form, and without the field's name. */
const BESIDE_FIELDS: ReadonlySet<string> = new Set(
  textsOf('en', 'errors')
    .filter(([key]) => key.startsWith(FIELDS))
    .map(([key]) => key.slice(FIELDS.length)),
);

/** `{{problem error}}`: why something was refused. */
const problem = (found: Problem, call: HelperCall): string =>
  plainText(languageOfPage(call), problemPhrase(found));

/** What is wrong with a field, in the words of a form. */
export const faultText = (language: Language, found: Problem): string =>
  plainText(
    language,
    BESIDE_FIELDS.has(found.reason)
      ? phrase(`errors:fields.${found.reason}`, found.values)
      : problemPhrase(found),
  );

const fault = (found: Problem, call: HelperCall): string => faultText(languageOfPage(call), found);

const lines = (texts: readonly Text[], call: HelperCall): string =>
  texts.map((line) => (typeof line === 'string' ? visible(line) : plain(line, call))).join('\n');

/** A key or a phrase without markup, for attributes: `title="{{plain "layout:theme.light"}}"`. */
const plain = (text: Text, call: HelperCall): string =>
  plainText(
    languageOfPage(call),
    typeof text === 'string' ? { key: text, values: call.hash } : text,
  );

/** The languages that a reader can choose; the page's own is marked. */
const languageChoices = (call: HelperCall) =>
  languages.map((code) => ({
    code,
    name: translate(code, 'layout:language.own'),
    isCurrent: code === languageOfPage(call),
  }));

/** The texts of a page's scripts, as JSON: `<body data-texts="{{scriptTexts texts}}">` */
function scriptTexts(area: string | undefined, call: HelperCall): string {
  const language = languageOfPage(call);
  const texts = { ...scriptTextsOf(language, 'layout'), ...scriptTextsOf(language, area ?? '') };
  return JSON.stringify(texts);
}

const number = (value: number, call: HelperCall): string =>
  value.toLocaleString(languageOfPage(call));

/** A date (`2026-01-31`) in the format of the page's language. */
const day = (date: string, call: HelperCall): string =>
  dateText(languageOfPage(call), date, { dateStyle: 'long' });

/** A month (`2026-01`) in the format of the page's language. */
const calendarMonth = (date: string, call: HelperCall): string =>
  dateText(languageOfPage(call), date, { month: 'long', year: 'numeric' });

/** The helpers for templates of translated pages. */
export const languageHelpers = {
  calendarMonth,
  day,
  languageChoices,
  lines,
  number,
  plain,
  problem,
  say,
  scriptTexts,
  fault,
  t,
};
