import { ApiError } from './api-error.js';
import { CATALOGUE, type Code } from './catalogue.js';
import { codeOfDriverError, reasonOfDriverError } from './driver-errors.js';

/** Seconds to wait: an outage may end at any moment, a full disk only when an operator has dealt with it. */
const RETRY_AFTER: Partial<Record<Code, Record<string, string>>> = {
  E0051R: { 'Retry-After': '60' },
  E0052R: { 'Retry-After': '1' },
};

/** The error of the catalogue for one that is no refusal: a driver's, or a fault of the server (E0050R). */
export function answerToFault(fault: unknown): ApiError {
  const code = codeOfDriverError(fault) ?? 'E0050R';
  const headers = RETRY_AFTER[code] ?? {};
  const reason = reasonOfDriverError(fault) ?? CATALOGUE[code][1];
  return ApiError.of(code, { reason, values: {} }, { headers, cause: fault });
}
