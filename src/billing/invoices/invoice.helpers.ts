import {
  languageOfPage,
  type HelperCall,
} from '../../platform/pages/languages/language.helpers.js';
import { moneyText } from '../pricing/pricing.js';

/** `{{money amount currency}}`: an amount in the format of the page's language; files use a fixed format. */
export const money = (amount: number, currency: string, call: HelperCall): string =>
  moneyText(amount, currency, languageOfPage(call));
