import { CATALOGUE, type Code } from './catalogue.js';

/** A page that explains the error to a person better than the general page of errors. */
export interface ErrorPage {
  readonly template: string;
  /** The whole model that the template needs. */
  readonly model: object;
}

interface ApiErrorParts {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Further members of the answer's body, such as `domains`. */
  body?: Readonly<Record<string, unknown>>;
  /** A page to show instead of the page of errors, such as the form with what was typed. */
  page?: ErrorPage;
  /** A word that the ledger records beside the code, for the help desk; callers never see it. */
  detail?: string;
  cause?: unknown;
}

/** A refusal or failure to answer with; only the error filter renders it. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly page: ErrorPage | undefined;
  readonly detail: string | undefined;

  /**
   * @param code a code of the catalogue; `null` only for "no account", for which the interface has no code
   * @param message one sentence for the caller; the catalogue's when absent. Never library text.
   */
  constructor(
    readonly code: Code | null,
    message?: string,
    { status, headers = {}, body = {}, page, detail, cause }: ApiErrorParts = {},
  ) {
    super(message ?? (code ? CATALOGUE[code][1] : ''), { cause });
    this.status = status ?? (code ? CATALOGUE[code][0] : 500);
    this.headers = headers;
    this.body = body;
    this.page = page;
    this.detail = detail;
  }

  /** 403 without a code: the user is unknown or has no credential that could sign in. */
  static noAccount(detail: 'unknown-user' | 'no-enabled-key'): ApiError {
    return new ApiError(null, 'No key of this user can sign in here.', { status: 403, detail });
  }
}
