import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  Redirect,
} from '@nestjs/common';
import { ApiExcludeEndpoint } from '../http/openapi.js';
import { ForReader, Operation } from '../http/operation.js';
import type { JsonText } from '../http/operation.js';
import { Audited, CurrentNote } from '../audit/audited.js';
import type { AuditNote } from '../audit/audit-trail.js';
import { ApiError } from '../errors/api-error.js';
import { ok } from '../http/ok.js';
import { ForPage, Represent } from '../presentation/represent.js';
import { CurrentAccount } from '../security/account.js';
import type { Account } from '../security/account.js';
import { Allow, AllowChange, AllowHere, OpenToKeys, WholeTenant } from '../security/allow.js';
import type { Permission } from '../security/permissions.js';
import { DtoPipe } from '../validation/dto.pipe.js';
import { InvoiceAnswer } from './invoice.answer.js';
import { invoiceCsv, invoiceListCsv, storedInvoiceCsv } from './invoice.csv.js';
import { Estimate } from './estimate.js';
import { InvoiceLog } from './invoice-log.js';
import { InvoiceDto, InvoiceListQuery, InvoiceNumberDto, IssueInvoiceDto } from './invoice.dto.js';
import { EstimateAnswer, InvoiceJson, InvoiceListAnswer } from './invoice.schema.js';
import { InvoiceService } from './invoice.service.js';
import { invoiceListPage, invoicePage, storedInvoicePage } from './invoice.view.js';

interface Call {
  readonly account: Account;
  readonly note: AuditNote;
  /** Shown on a page, an invoice has more to it. */
  readonly forPage?: boolean;
}

type Parameters = Readonly<Record<string, unknown>>;

const ISSUE = 'invoice.issue';

/** Only a call that stores an invoice changes something. */
const noteOf = (parameters?: Parameters): AuditNote | undefined =>
  parameters?.['invoicelog'] === 'yes' ? { action: ISSUE } : undefined;

const neededFor = (parameters: Parameters): Permission | undefined =>
  noteOf(parameters) && 'invoices:issue';

/** The interface's `invoice` and `invoiceest`, and the invoices that are stored. */
@ForReader('finance')
@Allow('invoices:read')
@OpenToKeys()
@WholeTenant()
@Controller('userapi')
export class InvoiceController {
  constructor(
    private readonly service: InvoiceService,
    private readonly log: InvoiceLog,
    private readonly estimate: Estimate,
  ) {}

  @Get('invoice')
  @AllowChange(neededFor)
  @Audited(({ query }) => noteOf(query))
  @Represent({ html: ['invoice', invoicePage], csv: ['invoice', invoiceCsv] })
  @Operation('getInvoice', 'The invoice of a month up to a date; stored with invoicelog=yes', {
    answers: InvoiceJson,
  })
  get(
    @Query(DtoPipe) query: InvoiceDto,
    @ForPage(['csv']) forPage: boolean,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<InvoiceAnswer> {
    return this.answer(query, { account, note, forPage });
  }

  @Post('invoice')
  @HttpCode(200)
  @AllowChange(neededFor)
  @Audited(({ body }) => noteOf(body))
  @Represent({ csv: ['invoice', invoiceCsv] })
  @Operation('postInvoice', 'The same, with the parameters in a JSON body', {
    answers: InvoiceJson,
  })
  post(
    @Body(DtoPipe) dto: InvoiceDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<InvoiceAnswer> {
    return this.answer(dto, { account, note });
  }

  /** The page's form: stores the invoice and leads to it. */
  @Post('invoices')
  @AllowHere('invoices:issue')
  @Audited(ISSUE)
  @Redirect('/userapi/invoices', 303)
  @ApiExcludeEndpoint()
  async issue(
    @Body(DtoPipe) { date }: IssueInvoiceDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    const asked: InvoiceDto = { ...(date !== undefined && { date }), invoicelog: 'yes' };
    const { invoice } = await this.answer(asked, { account, note });
    return { url: `/userapi/invoices/${invoice.number}` };
  }

  @Get('invoices')
  @Represent({ html: ['invoices', invoiceListPage], csv: ['invoices', invoiceListCsv] })
  @Operation('listInvoices', 'Lists the invoices that are stored, newest first', {
    answers: InvoiceListAnswer,
  })
  async list(
    @CurrentAccount() account: Account,
    @Query(DtoPipe) { before }: InvoiceListQuery,
  ): Promise<InvoiceListAnswer> {
    return ok(await this.log.list(account, before));
  }

  @Get('invoices/:number')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Represent({
    html: ['invoice', storedInvoicePage],
    csv: ['invoice', storedInvoiceCsv],
  })
  @Operation('getStoredInvoice', 'A stored invoice, byte for byte as it was issued', {
    answers: InvoiceJson,
    refuses: ['E0044R'],
  })
  async read(
    @CurrentAccount() account: Account,
    @Param(DtoPipe) { number }: InvoiceNumberDto,
  ): Promise<JsonText<InvoiceJson>> {
    const body = await this.log.read(account, number);
    if (body === undefined) throw new ApiError('E0044R', 'There is no invoice of this number.');
    return body as JsonText<InvoiceJson>;
  }

  @Get('invoiceest')
  @Operation('estimateInvoice', 'About how long an invoice will take', {
    answers: EstimateAnswer,
  })
  async estimateOf(@CurrentAccount() account: Account) {
    return ok(await this.estimate.answer(account));
  }

  private async answer(
    asked: InvoiceDto,
    { account, note, forPage }: Call,
  ): Promise<InvoiceAnswer> {
    const today = this.service.today();
    const { date: day = today, invoicelog } = asked;
    if (day > today) throw new ApiError('E0045R', 'The parameter "date" lies in the future.');
    if (invoicelog === 'no') return this.service.answer(day, account, forPage);
    const { invoice } = await this.service.answer(day, account);
    const issued = await this.log.issue(invoice, account);
    Object.assign(note, { target: issued.date, detail: { number: issued.number } });
    return new InvoiceAnswer(issued);
  }
}
