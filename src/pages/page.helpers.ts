import hbs from 'hbs';
import { moneyText } from '../billing/pricing/pricing.js';
import { languageOfPage, type HelperCall } from '../platform/pages/languages/language.helpers.js';
import { phrase, type Phrase } from '../platform/pages/languages/phrase.js';
import { visible } from '../platform/pages/visible-characters.js';

/** Codes with their own advice, if the code says more than the status. */
const ADVICE: ReadonlySet<string> = new Set([
  'E0046R',
  'E0052R',
  '401',
  '403',
  '404',
  '405',
  '408',
  '429',
]);

/** The advice on an error, shown below the error's sentence. */
export function advice(status: number, code?: string): Phrase {
  const known = [code, String(status)].find((one) => one !== undefined && ADVICE.has(one));
  return phrase(`errors:advice.${known ?? (status < 500 ? 'wrong' : 'later')}`);
}

/** Converts text of the document to HTML: text between backticks becomes code, and paragraphs are kept. */
export const prose = (text: unknown) => {
  const escaped = hbs.handlebars.escapeExpression(typeof text === 'string' ? text : '');
  // Escaping has replaced backticks by their character reference.
  const marked = escaped.replaceAll(/&#x60;(.+?)&#x60;/g, '<code>$1</code>');
  return new hbs.handlebars.SafeString(marked);
};

/** A name for a narrow column: an e-mail address breaks after `@` and after dots, not within a word. */
export const breakable = (name: unknown) => {
  const escaped = hbs.handlebars.escapeExpression(visible(name));
  return new hbs.handlebars.SafeString(escaped.replaceAll(/(?<=[@.])(?=[^@.])/g, '<wbr>'));
};

/** `{{money amount currency}}`: an amount in the format of the page's language; files use a fixed format. */
export const money = (amount: number, currency: string, call: HelperCall): string =>
  moneyText(amount, currency, languageOfPage(call));
