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

/** What a person chose, in a text of either direction; its asterisks are its own. */
const isolated = (value: unknown) =>
  `<bdi>${hbs.handlebars.escapeExpression(visible(value)).replaceAll('*', '&#42;')}</bdi>`;

/** `{{t "people:enrol.heading" name=relyingParty.name}}`; `**of weight**` in a text is written bold. */
export function t(key: string, call: Call) {
  const values = Object.entries(call.hash).map(([name, value]) => [name, isolated(value)] as const);
  const text = textOf(languageOfPage(call), key, Object.fromEntries(values));
  return new hbs.handlebars.SafeString(text.replaceAll(/\*\*(.+?)\*\*/g, '<b>$1</b>'));
}

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
