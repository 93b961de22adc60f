import { phrase, type Text } from './languages/phrase.js';

/** A share in whole percent, as the page's language writes it; `–` of nothing. */
export const shareText = (part: number, whole: number): Text =>
  whole === 0 ? '–' : phrase('layout:percent', { percent: Math.round((part / whole) * 100) });
