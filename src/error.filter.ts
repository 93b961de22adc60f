import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request, Response } from 'express';
import { AuditTrail } from './audit/audit-trail.js';
import { appendRefusal } from './audit/request-rows.js';
import { LateForms } from './pages/audit/late-forms.js';
import { RefusalLog } from './fido/refusals/refusal-log.js';
import { ProxyFaults } from './health/setup/proxy-faults.js';
import { hasMisplacedKey } from './platform/access/accounts/key-secret.js';
import { isNavigation } from './platform/access/cross-site.guard.js';
import { isAdministration, isForPrograms } from './platform/common/paths.js';
import { answerToFault } from './platform/errors/answer-to-fault.js';
import { ApiError, type ErrorPage } from './platform/errors/api-error.js';
import { CATALOGUE, type Code } from './platform/errors/catalogue.js';
import { isError } from './platform/errors/driver-errors.js';
import { fieldIn, problem } from './platform/errors/reasons.js';
import { backLink } from './platform/errors/visitor.js';
import { allowedMethods } from './platform/http/express-routing.js';
import { PageCompletion } from './platform/pages/page.interceptor.js';

/** Codes of HTTP errors that Express, its body parser and Nest throw themselves. */
const CODES: Readonly<Partial<Record<number, Code>>> = {
  405: 'E0047R',
  413: 'E0041R',
  415: 'E0048R',
};

/** Characters of an unknown name on its page. */
const MAX_SOUGHT = 200;

/** Codes for a caller who has not shown, or does not have, the necessary permission. */
const NOT_ADMITTED: readonly (Code | null)[] = ['E0042R', 'E0043R'];

function wantsPage(request: Request): boolean {
  if (request.errorBody || isForPrograms(request.path)) return false;
  // Some paths answer JSON and a page: there an error is a page only for a browser that opens one.
  if (isAdministration(request.path) && !request.isPageOnly) return isNavigation(request);
  return request.accepts('json', 'html') === 'html';
}

/** The only place that renders errors: one form, no stack, no SQL, no library text. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly refusals: RefusalLog,
    private readonly trail: AuditTrail,
    private readonly lateForms: LateForms,
    private readonly pages: PageCompletion,
    private readonly proxy: ProxyFaults,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const answer = advised(this.answerTo(error, request), request);
    this.addToLog(request, error, answer);
    const back = wantsPage(request)
      ? this.lateForms.leadBack(request, response, answer)?.catch(() => undefined)
      : undefined;
    this.refusals.add(request, answer);
    this.proxy.add(request, answer.problem);
    const stored = appendRefusal(this.trail, request, answer);
    void this.send(request, response, answer, { back, stored });
  }

  /** Answers after the audit row is stored. Never rejects: a fault in rendering must not end the process. */
  private async send(
    request: Request,
    response: Response,
    answer: ApiError,
    {
      back,
      stored,
    }: { back: Promise<string | undefined> | undefined; stored: Promise<void> | undefined },
  ): Promise<void> {
    try {
      await stored;
      const page = await back;
      if (page === undefined) await this.render(request, response, answer);
      else response.redirect(303, page);
    } catch (error) {
      this.addToLog(request, error, new ApiError('E0050R'));
      if (response.headersSent) response.destroy();
      else response.status(500).end();
    }
  }

  private async render(request: Request, response: Response, answer: ApiError): Promise<void> {
    if (response.headersSent) {
      response.end();
      return;
    }
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    response.status(answer.status);
    if (wantsPage(request)) {
      const { template, model } = await this.errorPage(request, answer);
      response.render(template, model);
    } else {
      response.json(request.errorBody?.(answer) ?? jsonOf(answer, request.requestId));
    }
  }

  /** The page of the refusal itself, for example the form with the typed values; otherwise the general error page. */
  private async errorPage(request: Request, answer: ApiError): Promise<ErrorPage> {
    if (answer.page) return answer.page;
    const { code, status } = answer;
    const { reason } = answer.problem;
    const model = {
      status,
      code,
      back: backLink(request),
      problem: answer.problem,
      toOwnAccount: reason.startsWith('account.first.'),
      inAddress: wrongInAddress(request, answer),
      sought: status === 404 ? soughtIn(request, answer) : undefined,
      requestId: request.requestId,
      undone: reason === 'form.noToken',
      ...(await this.pages.head(request)),
    };
    return { template: 'error', model };
  }

  private answerTo(error: unknown, request: Request): ApiError {
    if (error instanceof ApiError) return error;
    const status = statusOf(error);
    if (status === 404) return this.notFound(request);
    // Express refuses such a path, and Nest passes on only its text.
    if (status === 400 && !isDecodable(request.path)) return new ApiError('E0047R');
    if (status >= 400 && status < 500) {
      const code = CODES[status] ?? 'E0001R';
      return ApiError.of(code, { reason: CATALOGUE[code][1], values: {} }, { cause: error });
    }
    return answerToFault(error);
  }

  private notFound({ path, method }: Request): ApiError {
    const app = this.adapterHost.httpAdapter.getInstance<Express>();
    const allowed = allowedMethods(app, path);
    return allowed.length === 0 ? new ApiError('E0047R') : ApiError.wrongMethod(method, allowed);
  }

  /** Notes the code and the detail for the log, and the stack for faults of the server. */
  private addToLog(
    request: Request,
    error: unknown,
    { code, status, problem, cause }: ApiError,
  ): void {
    const origin = cause ?? error;
    const field = fieldIn(problem);
    const detail = isError(origin) && origin !== error ? origin.message : undefined;
    request.logFacts = {
      code,
      reason: problem.reason,
      ...(field === undefined ? {} : { field }),
      ...(detail === undefined ? {} : { detail }),
    };
    if (status < 500) return;
    // Only these members are logged: drivers attach statements and their values to errors.
    for (const { name, message, stack } of faultsIn(origin)) {
      request.log.error({ requestId: request.requestId, code, name, stack }, message);
    }
  }
}

/** Says in the refusal of a caller who is not admitted that the request has an application key in the wrong place. */
const advised = (answer: ApiError, request: Request): ApiError =>
  NOT_ADMITTED.includes(answer.code) && hasMisplacedKey(request)
    ? answer.withAdvice(problem('authorization.keyElsewhere'))
    : answer;

/** The errors in an `AggregateError`, or the error itself. */
const faultsIn = (error: unknown) =>
  (isError(error) && 'errors' in error && Array.isArray(error.errors)
    ? (error.errors as unknown[])
    : [error]
  ).filter(isError);

/** The answer in JSON, in the form of the interface. */
const jsonOf = (answer: ApiError, requestId: string) => ({
  status: answer.code === 'E0024R' ? false : 'failed',
  ...(answer.code === null ? {} : { errorCode: answer.code }),
  errorMessage: answer.message,
  reason: answer.problem.reason,
  requestId,
  ...answer.body,
});

function wrongInAddress({ query, params }: Request, { problem }: ApiError): string | undefined {
  const { field = '' } = problem.values;
  const value = query[field] ?? params[field];
  return typeof value === 'string' ? value : undefined;
}

/** The last ID or name in the address of a page. A path that does not exist stays out: anybody can write a text there. */
function soughtIn({ params, query }: Request, { code }: ApiError): string | undefined {
  if (code === 'E0047R') return undefined;
  const named = [...Object.values(params), query['name'], query['rp']];
  return named.findLast(isText)?.slice(0, MAX_SOUGHT);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether percent-encoding in a path is UTF-8 (RFC 3986 §2.5). */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

/** The HTTP status in an error of Nest or Express; 500 for any other. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = isError(error) && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : 500;
}
