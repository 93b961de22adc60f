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
import { isForSpreadsheet, wantedForm } from '../access/wanted-form.js';
import { fromRequest } from '../common/from-request.js';
import { MEDIA_TYPES, OtherForms, type AnswerForm } from '../http/openapi/operation.js';
import { spreadsheetOf, type CsvDialect } from './csv.js';
import { languageFor } from './languages/languages.js';
import type { PageView } from './page.view.js';
import { PageCompletion } from './page.interceptor.js';

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
    OtherForms(Object.keys(forms) as AnswerForm[]),
    UseInterceptors(RepresentInterceptor),
  );

/** The formats of the handler's `@Represent`. */
const formsOf = (context: ExecutionContext): Representations<unknown> =>
  new Reflector().get(RepresentedBy, context.getHandler());

/** The requested format of the answer: one of the formats, or JSON. */
const wantedOf = (context: ExecutionContext): AnswerForm | 'json' =>
  wantedForm(
    context.switchToHttp().getRequest<Request>(),
    Object.keys(formsOf(context)) as AnswerForm[],
  );

/** Whether the answer of a handler with `@Represent` is shown as a page, for handlers that then do more. */
export const ForPage = createParamDecorator(
  (_: unknown, context: ExecutionContext): boolean => wantedOf(context) === 'html',
);

/** The dialect of a spreadsheet, which has all rows instead of a part of them; `undefined` if none is requested. */
const spreadsheetFor = (request: Request): Required<CsvDialect> | undefined =>
  isForSpreadsheet(request) ? spreadsheetOf(languageFor(request)) : undefined;

export const ForSpreadsheet = fromRequest(spreadsheetFor);

@Injectable()
class RepresentInterceptor implements NestInterceptor {
  constructor(private readonly pages: PageCompletion) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { html, csv, xml } = formsOf(context);
    const wanted = wantedOf(context);
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    response.vary('Accept, Sec-Fetch-Mode, User-Agent');
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
