import type { Request } from 'express';
import { MEDIA_TYPES, type AnswerForm } from '../http/openapi/operation.js';
import { isNavigation } from './cross-site.guard.js';

/** In the order in which a request without a preference gets them. */
const FORMS = ['json', ...(Object.keys(MEDIA_TYPES) as AnswerForm[])] as const;

/** Whether a link requests a CSV file that spreadsheets open on a double-click. */
export const isForSpreadsheet = ({ query }: Request): boolean => query['format'] === 'spreadsheet';

/**
 * The requested form of an answer: the one in `format`, else the one that `Accept` prefers. If it prefers none of them,
 * JSON. Only a browser that opens a page gets HTML by `Accept`; programs get JSON.
 *
 * @param others the forms besides JSON
 */
export function wantedForm(request: Request, others: readonly AnswerForm[]): AnswerForm | 'json' {
  const { format } = request.query;
  if (isForSpreadsheet(request) && others.includes('csv')) return 'csv';
  // Records for other systems are JSON.
  if (format === 'ocsf') return 'json';
  const offered = FORMS.filter((form) => form === 'json' || others.includes(form));
  const named = offered.find((form) => form === format);
  if (named !== undefined) return named;
  const accepted = request.accepts([...offered]) as AnswerForm | 'json' | false;
  return !accepted || (accepted === 'html' && !isNavigation(request)) ? 'json' : accepted;
}
