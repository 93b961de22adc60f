import { ApiError } from '../errors/api-error.js';

const DAY_MS = 24 * 3600 * 1000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const WHOLE = /^[1-9]\d{0,14}$/;

/** What to look for in the audit trail. */
export interface AuditQuery {
  readonly account?: string;
  readonly action?: string;
  /** What the target begins with. */
  readonly target?: string;
  readonly result?: 'ok' | 'refused';
  /** Milliseconds since 1970; from here on. */
  readonly from?: number;
  /** Milliseconds since 1970; before this. */
  readonly before?: number;
  /** Only rows older than the one of this number. */
  readonly cursor?: number;
  readonly limit: number;
}

/** The parameters as the form has them: texts, none of them empty. */
export type AuditParameters = Readonly<Partial<Record<ParameterName, string>>>;

const PARAMETERS = [
  'account',
  'action',
  'target',
  'result',
  'from',
  'to',
  'cursor',
  'limit',
] as const;
type ParameterName = (typeof PARAMETERS)[number];

/**
 * The known parameters of a query string; empty ones, which an HTML form sends, count as absent.
 *
 * @throws ApiError E0045R for one that is sent twice
 */
export function auditParameters(query: Readonly<Record<string, unknown>>): AuditParameters {
  const found: Partial<Record<ParameterName, string>> = {};
  for (const name of PARAMETERS) {
    const value = query[name];
    if (value === undefined || value === '') continue;
    if (typeof value !== 'string') throw wrong(`"${name}" must be given once, as a text.`);
    found[name] = value;
  }
  return found;
}

/** @throws ApiError E0045R for a value that is none of those allowed */
export function auditQuery(parameters: AuditParameters): AuditQuery {
  const { account, action, target, result, from, to, cursor, limit } = parameters;
  if (result !== undefined && result !== 'ok' && result !== 'refused') {
    throw wrong('"result" must be ok or refused.');
  }
  return {
    ...(account === undefined ? {} : { account }),
    ...(action === undefined ? {} : { action }),
    ...(target === undefined ? {} : { target }),
    ...(result === undefined ? {} : { result }),
    ...(from === undefined ? {} : { from: dayOf('from', from) }),
    ...(to === undefined ? {} : { before: dayOf('to', to) + DAY_MS }),
    ...(cursor === undefined ? {} : { cursor: wholeOf('cursor', cursor) }),
    limit: limit === undefined ? DEFAULT_LIMIT : wholeOf('limit', limit, MAX_LIMIT),
  };
}

/** The first millisecond of a calendar day (UTC). */
function dayOf(name: string, text: string): number {
  const at = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // 2024-02-30 would roll over to March in some readings: the day must come back as it went in.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text)) {
    throw wrong(`"${name}" must be a calendar day as YYYY-MM-DD.`);
  }
  return at;
}

function wholeOf(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (!WHOLE.test(text) || number > most) {
    throw wrong(`"${name}" must be a whole number${most < 1e9 ? ` from 1 to ${most}` : ''}.`);
  }
  return number;
}

const wrong = (sentence: string) => new ApiError('E0045R', sentence);
