import type { Kind, Series } from './invoice.entity.js';

/** The number of a stored document, in its series. */
export interface DocumentNumber {
  readonly series: Series;
  readonly number: number;
}

const FORM = /^(S-)?(?:R([1-9]\d{0,3})-)?([1-9]\d{0,14})$/;

/** @param restores the greatest epoch that has documents; see `DocumentSeries` */
export function seriesOf(kind: Kind, restores: number): Series {
  if (restores > 0) return kind === 'statement' ? `S-R${restores}` : `R${restores}`;
  return kind === 'statement' ? 'statement' : 'invoice';
}

/** A number in answers, pages and addresses: `12`, `S-12` for a statement, `R1-12` after a restore. */
export function numberText({ series, number }: DocumentNumber): number | string {
  if (series === 'invoice') return number;
  return series === 'statement' ? `S-${number}` : `${series}-${number}`;
}

/** Sorts numbers of invoices in the order of their assignment: by restore, then within the series. */
export const compareDocumentNumbers = (a: DocumentNumber, b: DocumentNumber): number =>
  restoresIn(a.series) - restoresIn(b.series) || a.number - b.number;

const restoresIn = (series: Series): number => Number(/R(\d+)$/.exec(series)?.[1] ?? 0);

export function parseNumber(text: string): DocumentNumber | undefined {
  const [, statement, restores = 0, digits] = FORM.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const series = seriesOf(statement ? 'statement' : 'invoice', Number(restores));
  return { series, number: Number(digits) };
}
