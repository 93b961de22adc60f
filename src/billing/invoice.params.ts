import { ApiError } from '../errors/api-error.js';
import { parseDate } from './calendar.js';

/** What a call of `invoice` asks for. */
export interface InvoiceRequest {
  readonly day: number;
  /** Whether to store it, with a number. */
  readonly issue: boolean;
}

/** Parameters as they came: of a query, a form or a JSON body. */
export type Source = Readonly<Record<string, unknown>>;

/**
 * A parameter that is empty counts as absent; any other value than `yes` and `no` is a mistake, be it
 * `Yes`: nobody should have to guess whether an invoice was stored.
 *
 * @throws ApiError E0045R
 */
export function readRequest(source: Source, today: number): InvoiceRequest {
  const [date, invoicelog = 'no'] = [present(source['date']), present(source['invoicelog'])];
  if (invoicelog !== 'yes' && invoicelog !== 'no') {
    throw new ApiError('E0045R', 'The parameter "invoicelog" must be "yes" or "no".');
  }
  const day = date === undefined ? today : typeof date === 'string' ? parseDate(date) : undefined;
  if (day === undefined) {
    throw new ApiError('E0045R', 'The parameter "date" must be one day, written YYYY-MM-DD.');
  }
  if (day > today) throw new ApiError('E0045R', 'The parameter "date" lies in the future.');
  return { day, issue: invoicelog === 'yes' };
}

const present = (value: unknown): unknown => (value === '' ? undefined : value);

/**
 * The number of a stored invoice, of an address or of the parameter `before`.
 *
 * @throws ApiError E0045R
 */
export function readNumber(text: unknown): number {
  if (typeof text !== 'string' || !/^[1-9]\d{0,14}$/.test(text)) {
    throw new ApiError('E0045R', 'The number of an invoice must be a whole number from 1 on.');
  }
  return Number(text);
}
