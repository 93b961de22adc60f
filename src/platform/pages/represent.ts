import {
  Injectable,
  StreamableFile,
  UseInterceptors,
  applyDecorators,
  createParamDecorator,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { isNavigation } from '../access/cross-site.guard.js';
import { fromRequest } from '../common/from-request.js';
import { OtherMediaTypes } from '../http/openapi/operation.js';
import { spreadsheetOf, type CsvDialect } from './csv.js';
import { languageFor } from './languages/languages.js';
import type { PageView } from './page.view.js';
import { PageCompletion } from './page.interceptor.js';

/** Formats besides JSON. If `Accept` prefers none of the allowed ones, the first is used. */
const MEDIA_TYPES = { html: 'text/html', csv: 'text/csv', xml: 'application/xml' } as const;

/** Other formats of a JSON answer; each is created from the handler's answer. */
interface Representations<Answer> {
  /** The template, and the function that creates its model. */
  readonly html?: readonly [
    template: string,
    model: (answer: Answer, request: Request) => PageView,
  ];
  /**
   * The file's name without `.csv`, or the function that returns it, and the function that writes the rows
   * (see `csv.ts`). It receives a dialect if a page's link requests a spreadsheet (`?format=spreadsheet`).
   */
  readonly csv?: readonly [
    name: string | ((answer: Answer) => string),
    text: (answer: Answer, dialect?: CsvDialect) => string | StreamableFile,
  ];
  /** The functions that return the file's name without `.xml`, and its bytes. */
  readonly xml?: readonly [name: (answer: Answer) => string, bytes: (answer: Answer) => Buffer];
}

const RepresentedBy = Reflector.createDecorator<Representations<unknown>>();

/**
 * Lets one path answer with JSON, or with a page, CSV or XML file if `Accept` prefers that. A link, which cannot send
 * `Accept`, names the format: `?format=csv`.
 *
 * ```ts
 * @Get('userapi/audit')
 * @Represent<AuditAnswer>({ html: ['audit', auditPage], csv: ['audit', auditCsv] })
 * ```
 */
export const Represent = <Answer>(forms: Representations<Answer>) =>
  applyDecorators(
    RepresentedBy(forms as Representations<unknown>),
    OtherMediaTypes(
      Object.entries(MEDIA_TYPES).flatMap(([form, type]) => (form in forms ? [type] : [])),
    ),
    UseInterceptors(RepresentInterceptor),
  );

/** Whether a link requests a CSV file that spreadsheets open on a double-click. */
const isForSpreadsheet = ({ query }: Request): boolean => query['format'] === 'spreadsheet';

/**
 * The requested format: the one in `format`, else the one that `Accept` prefers. Only a browser that opens a page gets
 * HTML by `Accept`; programs get JSON.
 */
function wantedForm(request: Request, offered: string[]): string | false {
  if (isForSpreadsheet(request) && offered.includes('csv')) return 'csv';
  // Records for other systems are JSON.
  if (request.query['format'] === 'ocsf') return 'json';
  const named = offered.find((form) => form === request.query['format']);
  if (named !== undefined) return named;
  const accepted = request.accepts(offered);
  return accepted === 'html' && !isNavigation(request) ? 'json' : accepted;
}

/**
 * Whether the answer is shown as a page, for handlers that then do more; `others` are the handler's formats besides
 * JSON and the page.
 */
export const ForPage = createParamDecorator(
  (others: readonly string[] | undefined, context: ExecutionContext): boolean => {
    const request = context.switchToHttp().getRequest<Request>();
    return wantedForm(request, ['json', 'html', ...(others ?? [])]) === 'html';
  },
);

/** The dialect of a spreadsheet, which has all rows instead of a part of them; `undefined` if none is requested. */
const spreadsheetFor = (request: Request): Required<CsvDialect> | undefined =>
  isForSpreadsheet(request) ? spreadsheetOf(languageFor(request)) : undefined;

export const ForSpreadsheet = fromRequest(spreadsheetFor);

@Injectable()
class RepresentInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly pages: PageCompletion,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const forms = this.reflector.get(RepresentedBy, context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    response.vary('Accept, Sec-Fetch-Mode, User-Agent');
    const { html, csv, xml } = forms;
    const offered = ['json', ...Object.keys(MEDIA_TYPES).filter((form) => form in forms)];
    const wanted = wantedForm(request, offered);
    const represent = async (answer: unknown): Promise<unknown> => {
      if (wanted === 'html' && html) {
        const [template, model] = html;
        const page = await this.pages.complete(request, () => model(answer, request));
        return rendered(response, template, page);
      }
      if (wanted === 'csv' && csv) {
        const [name, text] = csv;
        response.attachment(`${typeof name === 'string' ? name : name(answer)}.csv`);
        return text(answer, spreadsheetFor(request));
      }
      if (wanted === 'xml' && xml) {
        const [name, bytes] = xml;
        const body = bytes(answer);
        response.attachment(`${name(answer)}.xml`).type(MEDIA_TYPES.xml);
        return new StreamableFile(body, { type: MEDIA_TYPES.xml });
      }
      return answer;
    };
    return next.handle().pipe(mergeMap(represent));
  }
}

function rendered(response: Response, template: string, model: PageView): Promise<string> {
  return new Promise((resolve, reject) => {
    response.render(template, model, (error: Error | null, html) => {
      if (error) return reject(error);
      response.type('html');
      resolve(html);
    });
  });
}
