import { languageOfPage, type Call } from '../../platform/pages/languages/language.helpers.js';
import { moneyText } from '../pricing/pricing.js';

/** `{{money amount currency}}`: an amount as the page's language writes it; files have one form for all. */
export const money = (amount: number, currency: string, call: Call): string =>
  moneyText(amount, currency, languageOfPage(call));
