import type { Kind, Series } from './invoice.entity.js';

/** The number of a stored document, in its series. */
export interface DocumentNumber {
  readonly series: Series;
  readonly number: number;
}

const FORM = /^(S-)?(?:R([1-9]\d{0,3})-)?([1-9]\d{0,14})$/;

/** @param epoch 0 before the first restore; see `DocumentSeries` */
export function seriesOf(kind: Kind, epoch: number): Series {
  if (epoch > 0) return kind === 'statement' ? `S-R${epoch}` : `R${epoch}`;
  return kind === 'statement' ? 'statement' : 'invoice';
}

/** A number in answers, pages and addresses: `12`, `S-12` for a statement, `R1-12` after a restore. */
export function numberText({ series, number }: DocumentNumber): number | string {
  if (series === 'invoice') return number;
  return series === 'statement' ? `S-${number}` : `${series}-${number}`;
}

/** Sorts numbers of invoices in the order of their assignment: by epoch, then within the series. */
export const compareDocumentNumbers = (a: DocumentNumber, b: DocumentNumber): number =>
  epochOf(a.series) - epochOf(b.series) || a.number - b.number;

const epochOf = (series: Series): number => Number(/R(\d+)$/.exec(series)?.[1] ?? 0);

export function parseNumber(text: string): DocumentNumber | undefined {
  const [, statement, epoch = 0, digits] = FORM.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const series = seriesOf(statement ? 'statement' : 'invoice', Number(epoch));
  return { series, number: Number(digits) };
}
