import {
  Injectable,
  SetMetadata,
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
import { fromRequest } from '../common/from-request.js';
import { FORMS } from '../http/openapi/operation.js';
import { spreadsheetOf, type CsvDialect } from './csv.js';
import { languageFor } from './languages/current-language.js';
import type { PageView } from './page.view.js';
import { PageCompletion } from './page.interceptor.js';

/** Forms besides JSON. The first that `Accept` allows is taken where it prefers none. */
const MEDIA_TYPES = { html: 'text/html', csv: 'text/csv', xml: 'application/xml' } as const;

const REPRESENTATIONS = 'servicefido:representations';

/** Other forms of a JSON answer; each is made from the handler's answer. */
interface Representations<Answer> {
  /** The template, and the function that makes its model. */
  readonly html?: readonly [
    template: string,
    model: (answer: Answer, request: Request) => PageView,
  ];
  /**
   * The file's name without `.csv`, or the function that makes it, and the function that writes the rows
   * (see `csv.ts`). It gets a dialect where a page's link asks for a spreadsheet (`?format=spreadsheet`).
   */
  readonly csv?: readonly [
    name: string | ((answer: Answer) => string),
    text: (answer: Answer, dialect?: CsvDialect) => string | StreamableFile,
  ];
  /** The file's name without `.xml`, and the function that gives its bytes. */
  readonly xml?: readonly [name: (answer: Answer) => string, bytes: (answer: Answer) => Buffer];
}

/**
 * Lets one path answer JSON, or a page, CSV or XML file where `Accept` prefers that. A link, which cannot say what
 * it accepts, names the form: `?format=csv`.
 *
 * ```ts
 * @Get('userapi/audit')
 * @Represent<AuditAnswer>({ html: ['audit', auditPage], csv: ['audit', auditCsv] })
 * ```
 */
export const Represent = <Answer>(forms: Representations<Answer>) =>
  applyDecorators(
    SetMetadata(REPRESENTATIONS, forms),
    SetMetadata(
      FORMS,
      Object.entries(MEDIA_TYPES).flatMap(([form, type]) => (form in forms ? [type] : [])),
    ),
    UseInterceptors(RepresentInterceptor),
  );

/** Whether a link asks for a CSV file that spreadsheets open by a double click. */
const isForSpreadsheet = ({ query }: Request): boolean => query['format'] === 'spreadsheet';

/** Which of the forms a request wants: the one that `format` names, else what `Accept` prefers. */
function wantedForm(request: Request, offered: string[]): string | false {
  if (isForSpreadsheet(request) && offered.includes('csv')) return 'csv';
  const named = offered.find((form) => form === request.query['format']);
  return named ?? request.accepts(offered);
}

/**
 * Whether the answer is shown as a page, for handlers that then do more; `others` are the forms that the
 * handler has besides JSON and the page.
 */
export const ForPage = createParamDecorator(
  (others: readonly string[] | undefined, context: ExecutionContext): boolean => {
    const request = context.switchToHttp().getRequest<Request>();
    return wantedForm(request, ['json', 'html', ...(others ?? [])]) === 'html';
  },
);

/** How to write a file for a spreadsheet, which has all rows instead of a part of them; `undefined` if none is wanted. */
export const ForSpreadsheet = fromRequest((request): Required<CsvDialect> | undefined =>
  isForSpreadsheet(request) ? spreadsheetOf(languageFor(request)) : undefined,
);

@Injectable()
class RepresentInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly pages: PageCompletion,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const forms = this.reflector.get<Representations<unknown>>(
      REPRESENTATIONS,
      context.getHandler(),
    );
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    response.vary('Accept');
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
        const dialect = isForSpreadsheet(request) ? spreadsheetOf(languageFor(request)) : undefined;
        return text(answer, dialect);
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
