import { phrase, type Text } from './languages/phrase.js';

/** A share in whole percent, in the format of the page's language; `–` if the whole is 0. */
export const shareText = (part: number, whole: number): Text =>
  whole === 0 ? '–' : phrase('layout:percent', { percent: Math.round((part / whole) * 100) });
