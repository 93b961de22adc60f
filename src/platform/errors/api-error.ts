import { CATALOGUE, type Code } from './catalogue.js';
import { sentenceOf, type Problem, type Reason, type ValuesOf } from './reasons.js';

/** A page that explains the error to a user better than the general error page. */
export interface ErrorPage {
  readonly template: string;
  /** The complete model of the template. */
  readonly model: object;
}

interface ApiErrorParts {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /** The form field beside which the page shows the refusal. */
  field?: string | undefined;
  /** A page to show instead of the error page, for example the form with the typed values. */
  page?: ErrorPage | undefined;
  /** A word that the ledger records beside the code, for the help desk; callers never see it. */
  detail?: string | undefined;
  cause?: unknown;
  /** See `Problem`. */
  advice?: Problem | undefined;
}

type RestOf<R extends Reason> = keyof ValuesOf<R> extends never
  ? [values?: ValuesOf<R>, parts?: ApiErrorParts]
  : [values: ValuesOf<R>, parts?: ApiErrorParts];

/** A refusal or failure as the answer of a request; only the error filter renders it. */
export class ApiError<R extends Reason = Reason> extends Error {
  readonly problem: Problem;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly field: string | undefined;
  readonly page: ErrorPage | undefined;
  readonly detail: string | undefined;

  /**
   * ```ts
   * throw new ApiError('E0044R', 'tenant.unknown');
   * throw new ApiError('E0045R', 'domain.taken', { domain }, { field: 'origins' });
   * ```
   *
   * @param code a code of the catalogue; `null` only for "no account", for which the interface has no code
   * @param reason by default, the catalogue's reason of the code
   * @param rest the values in the reason's sentence, if it has any; then further parts of the answer
   */
  constructor(code: Code);
  constructor(code: Code | null, reason: R, ...rest: RestOf<R>);
  constructor(
    readonly code: Code | null,
    reason: Reason = reasonOf(code),
    values: Problem['values'] = {},
    { status, headers = {}, body = {}, field, page, detail, cause, advice }: ApiErrorParts = {},
  ) {
    const problem = { reason, values, advice };
    super(sentenceOf(problem), { cause });
    this.problem = problem;
    this.status = status ?? (code ? CATALOGUE[code][0] : 500);
    this.headers = headers;
    this.body = body;
    this.field = field;
    this.page = page;
    this.detail = detail;
  }

  /** The refusal for a problem that was found elsewhere, for example by the validators of a DTO or a policy. */
  static of(code: Code | null, problem: Problem, parts: ApiErrorParts = {}): ApiError {
    const { reason, values, advice } = problem;
    return new ApiError<Reason>(code, reason, values as ValuesOf<Reason>, { ...parts, advice });
  }

  /** The same refusal with a sentence about this request; the reason stays as it is. */
  withAdvice(advice: Problem): ApiError {
    return ApiError.of(this.code, { ...this.problem, advice }, this);
  }

  /** E0040R: the caller may retry after this many seconds. */
  static tooMany(seconds: number): ApiError {
    return new ApiError(
      'E0040R',
      'request.tooMany',
      {},
      { headers: { 'Retry-After': `${seconds}` } },
    );
  }

  /** E0048R with the type that would have been accepted (RFC 9110 §15.5.16). */
  static unsupportedType(
    reason: 'request.contentType' | 'request.notForm' | 'request.notMultipart',
    accepted: string,
  ): ApiError {
    return new ApiError('E0048R', reason, {}, { headers: { Accept: accepted } });
  }

  /** E0047R of a path that exists for other methods (RFC 9110 §15.5.6). */
  static wrongMethod(method: string, allowed: readonly string[]): ApiError {
    const methods = allowed.join(', ');
    const advice = { reason: 'path.allowed', values: { methods } } as const;
    const parts = { status: 405, headers: { Allow: methods }, advice };
    return new ApiError('E0047R', 'path.method', { method }, parts);
  }

  /** 403 without a code: the user is unknown, suspended, or has no credential that can sign in. */
  static noAccount(detail: 'unknown-user' | 'user-suspended' | 'no-enabled-key'): ApiError {
    return new ApiError(null, 'user.noUsableKey', {}, { status: 403, detail });
  }
}

const reasonOf = (code: Code | null): Reason =>
  code === null ? 'user.noUsableKey' : CATALOGUE[code][1];

/** How a call may be refused: a code of the catalogue, or the interface's 403 without one. */
export type Refusal = Code | 'no-account';

const REFUSES = 'servicefido:refuses';

/**
 * Declares the codes with which a guard, an interceptor or a pipe refuses. The class declares them once, and the
 * OpenAPI document lists them for every operation that it protects.
 *
 * ```ts
 * @Injectable()
 * @Refuses('E0048R', 'E0001R')
 * export class JsonGuard implements CanActivate
 * ```
 */
export const Refuses =
  (...codes: readonly Refusal[]): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(REFUSES, codes, target);
  };

/** The codes that `Refuses` declares for a class; none for a class without it. */
export const refusalsOf = (target: object): readonly Refusal[] =>
  (Reflect.getMetadata(REFUSES, target) as readonly Refusal[] | undefined) ?? [];
