import type { Kind, Series } from './invoice.entity.js';

/** The number of something stored, in its series. */
export interface StoredNumber {
  readonly series: Series;
  readonly number: number;
}

const FORM = /^(S-)?([1-9]\d{0,14})$/;

export const seriesOf = (kind: Kind): Series => (kind === 'statement' ? 'statement' : 'invoice');

/** A number as answers, pages and addresses write it: `12`, or `S-12` for a statement. */
export const toldNumber = ({ series, number }: StoredNumber): number | string =>
  series === 'statement' ? `S-${number}` : number;

export function parseNumber(text: string): StoredNumber | undefined {
  const [, statement, digits] = FORM.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return { series: statement ? 'statement' : 'invoice', number: Number(digits) };
}
