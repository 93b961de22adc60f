import { Body, Controller, Get, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import type { Reader } from '../platform/common/turns/read-turns.js';
import { textFile } from '../platform/http/text-file.js';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import type { AuditNote } from '../audit/request-rows.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ok } from '../platform/http/ok.js';
import { LeadsToPage, type RedirectWithBanner } from '../platform/pages/banners.js';
import type { CsvDialect } from '../platform/pages/csv.js';
import { ForPage, ForSpreadsheet, Represent } from '../platform/pages/represent.js';
import { CurrentAccount, type Account } from '../platform/access/accounts/account.js';
import { Allow } from '../platform/access/allow.js';
import { CurrentReader } from '../platform/access/limits/current-reader.js';
import type { Permission } from '../platform/access/permissions.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { HeaderRp, Scoped } from '../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import {
  electronicBytes,
  issuedAnswer,
  type IssuedDocuments,
  type ShownInvoice,
  type StoredAnswer,
} from './invoices/shown-invoice.answer.js';
import { bookingCsv, invoiceCsv, invoiceListCsv } from './invoices/invoice.csv.js';
import { Estimate } from './pricing/estimate.js';
import {
  CancelInvoiceDto,
  InvoiceDto,
  InvoiceListQuery,
  InvoiceNumberDto,
  IssueInvoiceDto,
} from './invoice.dto.js';
import { EstimateAnswer } from './pricing/estimate.answer.js';
import { DocumentSeries } from './invoices/document-series.js';
import { InvoiceListAnswer } from './invoices/invoice-list.answer.js';
import { InvoiceJson } from './invoices/invoice.answer.js';
import { InvoiceComputation } from './invoices/invoice-computation.js';
import { InvoiceIssue } from './invoices/invoice-issue.js';
import {
  cancelledBanner,
  estimatePage,
  invoiceAddress,
  invoiceFile,
  invoiceListPage,
  invoicePage,
  issuedBanner,
  storedInvoicePage,
} from './invoice.view.js';
import { firstDayOf } from './usage/calendar.js';
import { DocumentReader } from './invoices/document-reader.js';

type Parameters = Readonly<Record<string, unknown>>;

const ISSUE = 'invoice.issue';
const CANCEL = 'invoice.cancel';

/** The audit note of a call that stores an invoice; other calls change nothing. */
const noteOf = (parameters?: Parameters): AuditNote | undefined =>
  parameters?.['invoicelog'] === 'yes' ? { action: ISSUE } : undefined;

const neededFor = (parameters: Parameters): Permission | undefined =>
  noteOf(parameters) && 'invoices:issue';

/** A query that concerns only the tenant of the header's relying party, if the header names one. */
const inTenant = <Query extends IssueInvoiceDto>(
  query: Query,
  rp: RelyingParty | undefined,
): Query => (rp ? { ...query, tenant: rp.tenant } : query);

/** The interface's `invoice` and `invoiceest`, and the stored invoices. */
@ForAudience('finance')
@Scoped('tenant')
@Allow('invoices:read', { keys: true, wholeTenant: true })
@Controller('userapi')
export class InvoiceController {
  constructor(
    private readonly computation: InvoiceComputation,
    private readonly issuing: InvoiceIssue,
    private readonly documentReader: DocumentReader,
    private readonly estimate: Estimate,
    private readonly series: DocumentSeries,
  ) {}

  @Get('invoice')
  @Audited(({ query }) => noteOf(query), { change: neededFor })
  @Represent({ html: ['invoice', invoicePage], csv: [invoiceFile, invoiceCsv] })
  @Operation(
    'getInvoice',
    'Shows the invoice of a month up to a date; stores it with invoicelog=yes',
    {
      description: '`invoicelog=yes` is for accounts with the role admin or finance only.',
      allowsUnknownNames: true,
      answers: InvoiceJson,
      refuses: ['E0044R'],
    },
  )
  async get(
    @Query(DtoPipe) query: InvoiceDto,
    @HeaderRp() rp: RelyingParty | undefined,
    @ForPage() forPage: boolean,
    @CurrentCall() call: AuditedCall,
  ): Promise<ShownInvoice> {
    // The page begins with the last month that is over; programs get the invoice up to today.
    const isBeginning = forPage && query.date === undefined && query.invoicelog !== 'yes';
    const date = isBeginning ? firstDayOf(this.computation.today()) - 1 : query.date;
    const asked = { ...query, ...(date !== undefined && { date }) };
    const answer = await this.answer(inTenant(asked, rp), call, forPage);
    if (!forPage) return answer;
    const month = answer.invoice.date.slice(0, 7);
    const invoiced = await this.documentReader.countOf(call.account, month);
    return { ...answer, invoiced, logo: this.documentReader.logo };
  }

  @Post('invoice')
  @Audited(({ body }) => noteOf(body), { change: neededFor })
  @Represent({ csv: [invoiceFile, invoiceCsv] })
  @Operation(
    'postInvoice',
    'Shows or stores an invoice like getInvoice, with the parameters in a JSON body',
    { status: 200, answers: InvoiceJson, refuses: ['E0044R'], sends: { date: '2026-01-31' } },
  )
  post(
    @Body(DtoPipe) dto: InvoiceDto,
    @HeaderRp() rp: RelyingParty | undefined,
    @CurrentCall() call: AuditedCall,
  ): Promise<InvoiceJson> {
    return this.answer(inTenant(dto, rp), call, false);
  }

  /** Stores the invoice of the page's form and redirects to it. */
  @Post('invoices')
  @Audited(ISSUE, { allow: 'invoices:issue' })
  @LeadsToPage()
  async issue(
    @Body(DtoPipe) form: IssueInvoiceDto,
    @HeaderRp() rp: RelyingParty | undefined,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const issued = await this.store(inTenant(form, rp), call);
    const [only, second] = issued.stored;
    const url = only && !second ? invoiceAddress(only.number) : '/userapi/invoices';
    return { url, banner: issuedBanner(issued) };
  }

  @Get('invoices')
  @Represent({ html: ['invoices', invoiceListPage], csv: ['invoices', invoiceListCsv] })
  @Operation('listInvoices', 'Lists invoices, statements and credit notes, newest first', {
    answers: InvoiceListAnswer,
  })
  async list(
    @CurrentAccount() account: Account,
    @Query(DtoPipe) query: InvoiceListQuery,
    @ForSpreadsheet() dialect: Required<CsvDialect> | undefined,
    @CurrentReader() reader: Reader,
    @ForPage() forPage: boolean,
  ): Promise<InvoiceListAnswer | StreamableFile> {
    if (dialect) {
      const rows = bookingCsv(this.documentReader.slices(account, query), dialect);
      return textFile(reader, rows);
    }
    const list = await this.documentReader.list(account, query);
    const lost = account.tenants ? [] : await this.series.lost();
    const tenants = forPage ? await this.documentReader.tenantsOf(account) : undefined;
    return ok({ ...list, ...(lost.length > 0 && { lost }), ...(tenants && { tenants }) });
  }

  @Get('invoices/:number')
  @Represent({
    html: ['invoice', storedInvoicePage],
    csv: [invoiceFile, invoiceCsv],
    xml: [invoiceFile, electronicBytes],
  })
  @Operation('getStoredInvoice', 'Returns a stored invoice, byte for byte as it was issued', {
    answers: InvoiceJson,
    refuses: ['E0044R'],
    refusesWith: { 406: ['E0045R'] },
  })
  async read(
    @CurrentAccount() account: Account,
    @Param(DtoPipe) { number }: InvoiceNumberDto,
  ): Promise<StoredAnswer> {
    const answer = await this.documentReader.read(account, number);
    if (!answer) throw new ApiError('E0044R', 'invoice.unknown');
    return answer;
  }

  @Post('invoices/:number/cancel')
  @Audited(CANCEL, { allow: 'invoices:issue' })
  @Operation('cancelInvoice', 'Cancels an invoice and returns the credit note', {
    status: 200,
    answers: InvoiceJson,
    refuses: ['E0044R'],
  })
  async cancel(
    @Param(DtoPipe) { number }: InvoiceNumberDto,
    @Body(DtoPipe) { reason }: CancelInvoiceDto,
    @CurrentCall() call: AuditedCall,
  ) {
    const { invoice } = await this.issuing.cancel(call, number, reason);
    return ok({ invoice });
  }

  /** Cancels the invoice of the page's form, and redirects to the credit note. */
  @Post('invoices/:number/cancellation')
  @Audited(CANCEL, { allow: 'invoices:issue' })
  @LeadsToPage()
  async cancelFromPage(
    @Param(DtoPipe) { number }: InvoiceNumberDto,
    @Body(DtoPipe) { reason }: CancelInvoiceDto,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const creditNote = await this.issuing.cancel(call, number, reason);
    const url = invoiceAddress(creditNote.invoice.number ?? '');
    return { url, banner: cancelledBanner(creditNote) };
  }

  @Get('invoiceest')
  @Represent({ html: ['invoice-estimate', estimatePage] })
  @Operation('estimateInvoice', 'Estimates how long an invoice will take', {
    allowsUnknownNames: true,
    answers: EstimateAnswer,
  })
  async estimateOf(@CurrentAccount() account: Account) {
    return ok(await this.estimate.answer(account));
  }

  /** @param forPage whether to add the data that only the page shows */
  private async answer(
    { invoicelog, ...query }: InvoiceDto,
    call: AuditedCall,
    forPage: boolean,
  ): Promise<ShownInvoice> {
    if (invoicelog === 'yes') return issuedAnswer(await this.store(query, call));
    const day = this.dayOf(query);
    const usage = await this.computation.usage(day, call.account, query.tenant);
    const page = forPage ? await this.computation.pageFacts(day, usage) : undefined;
    return ok({ invoice: this.computation.invoiceOf(day, usage), page });
  }

  private store(query: IssueInvoiceDto, call: AuditedCall): Promise<IssuedDocuments> {
    return this.issuing.issue(call, this.dayOf(query), query.tenant);
  }

  private dayOf({ date }: IssueInvoiceDto): number {
    const today = this.computation.today();
    if (date !== undefined && date > today) throw new ApiError('E0045R', 'invoice.future');
    return date ?? today;
  }
}
