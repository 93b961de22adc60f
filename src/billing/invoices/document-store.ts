import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { AuditFacts } from '../../audit/request-rows.js';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import { insertStep } from '../../platform/database/commit/step-of.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import { OPERATOR_ACCOUNT, type Account } from '../../platform/access/accounts/account.js';
import { MAX_NAME_BYTES, truncateUtf8 } from '../../platform/validation/values/names.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import { electronicXml } from '../electronic/electronic.js';
import { uniqueCreditNoteDigest, uniqueInvoiceDigest, type Draft } from './drafts.js';
import { DocumentSeries, numberText, parseNumber } from './document-series.js';
import { InvoiceEntity } from './invoice.entity.js';
import type { Invoice, InvoiceJson } from './invoice.answer.js';

/** A stored document, and whether this call stored it. */
export interface NumberedDocument {
  readonly invoice: Invoice;
  readonly isNew: boolean;
}

/** At the end of a month many calls need the next number at once. A try fails only if another call got the number. */
const FOR_NUMBER = { tries: 100, maxPauseMs: 20 };

/**
 * Stores drafts under numbers without gaps. The next number is one more than the last of its series, and is
 * taken by inserting its row: the primary key lets only one of several instances succeed, and the others read
 * again. Rows are never deleted.
 */
@Injectable()
export class DocumentStore {
  constructor(
    @InjectRepository(InvoiceEntity) private readonly invoices: Repository<InvoiceEntity>,
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    private readonly database: Database,
    private readonly series: DocumentSeries,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a draft under the next number with its row in the audit trail, unless the same draft is already stored.
   *
   * @throws ApiError E0045R as `DocumentSeries.next` and `electronicXml`; E0052R if this clock is wrong, or if others
   *   were faster each time
   */
  async store(call: ChangingCall, draft: Draft): Promise<NumberedDocument> {
    await this.ensureRightClock();
    const attempt = async () => {
      const found = await this.find(draft);
      if (found) {
        call.about(documentFacts(found));
        return { invoice: found, isNew: false };
      }
      const stored = await this.insert(call, draft);
      return stored ? { invoice: stored, isNew: true } : OVERTAKEN;
    };
    return untilStored('resource.changing', attempt, FOR_NUMBER);
  }

  /**
   * Stores a document again, under its own number, that was sent before a restore and is in no backup.
   *
   * @param text the answer of `GET /userapi/invoices/NUMBER`; a month's invoice before its credit note
   * @throws ApiError E0045R for any other text, and if it is already stored; E0044R for a document that is not
   *   lost; E0052R if this clock is wrong
   */
  async enter({ commit }: ChangingCall, text: string): Promise<Invoice> {
    const invoice = sentInvoiceIn(text);
    const number = parseNumber(`${invoice.number}`);
    const [tenant, other] = invoice.tenants;
    const owner = tenant && (await this.tenants.findOneBy({ name: tenant.tenant, closedAt: 0 }));
    if (!number || !owner || other) throw new ApiError('E0045R', 'document.form');
    const settled = await this.series.settle(`${invoice.number}`);
    const draft = { tenantId: owner.id, ...(await this.kindOf(invoice, owner.id)), invoice };
    await this.ensureRightClock();
    // The XML that was sent is unknown: a new one would not have to be the same.
    const unknown = { xml: null, xmlDigest: null };
    const issuedAt = this.clock.now();
    const row = {
      ...number,
      ...invoiceRow(draft, invoice, OPERATOR_ACCOUNT),
      ...unknown,
      issuedAt,
    };
    const detail = { numbers: `${invoice.number}`, reentered: true };
    const facts = { target: invoice.date, detail };
    if (await commit([settled, insertStep(this.invoices, row)], facts)) return invoice;
    throw new ApiError('E0045R', 'document.stored');
  }

  private async kindOf({ kind, date, cancels }: Invoice, tenantId: Buffer) {
    if (kind === 'invoice') {
      return {
        kind,
        uniqueDigest: uniqueInvoiceDigest(tenantId, await this.cancelled(tenantId, date)),
      };
    }
    if (kind === 'credit-note' && cancels !== undefined)
      return { kind, uniqueDigest: uniqueCreditNoteDigest(cancels) };
    throw new ApiError('E0045R', 'document.form');
  }

  /** The stored document of a draft; `undefined` if it is not stored yet. */
  async find({ uniqueDigest, invoice: { date } }: Draft): Promise<Invoice | undefined> {
    const where = { date, uniqueDigest };
    const row = await this.invoices.findOne({ select: { body: true }, where });
    return row ? parseStoredInvoice(row.body) : undefined;
  }

  /** How often the invoice of a tenant and date was cancelled. */
  cancelled(tenantId: Buffer, date: string): Promise<number> {
    return this.invoices.countBy({ tenantId, date, kind: 'credit-note' });
  }

  /** If the clock is days ahead, a month would be charged before it is over. */
  private async ensureRightClock(): Promise<void> {
    if (await isClockWrong(this.database)) throw new ApiError('E0052R', 'invoice.clock');
  }

  /** @returns `undefined` if another instance has taken the number, or stored the same draft */
  private async insert(
    { account, commit }: ChangingCall,
    draft: Draft,
  ): Promise<Invoice | undefined> {
    const { series, unchanged } = await this.series.next(draft.kind);
    const number = ((await this.invoices.maximum('number', { series })) ?? 0) + 1;
    const invoice = { ...draft.invoice, number: numberText({ series, number }) };
    const xml = electronicXml(invoice);
    const electronic = { xml: xml ?? null, xmlDigest: xml ? sha256(xml) : null };
    const issuedAt = this.clock.now();
    const row = { series, number, ...invoiceRow(draft, invoice, account), ...electronic, issuedAt };
    const unit = [unchanged, insertStep(this.invoices, row)];
    return (await commit(unit, documentFacts(invoice))) ? invoice : undefined;
  }
}

/** The members of the audit row of a stored document. A credit note's row is about the invoice that it cancels. */
function documentFacts({ tenants, date, number, cancels, reason }: Invoice): AuditFacts {
  const tenant = tenants[0]?.tenant;
  return cancels === undefined
    ? { tenant, target: date, detail: { numbers: `${number}` } }
    : { tenant, target: `${cancels}`, detail: { number: number ?? '', reason: reason ?? '' } };
}

function invoiceRow({ tenantId, kind, uniqueDigest }: Draft, invoice: Invoice, account: Account) {
  const body = Buffer.from(JSON.stringify(ok({ invoice })));
  const { date, currency, total } = invoice;
  const cancels = parseNumber(`${invoice.cancels}`);
  return {
    kind,
    tenantId,
    cancels: cancels?.number ?? null,
    cancelsSeries: cancels && cancels.series !== 'invoice' ? cancels.series : null,
    date,
    currency,
    total,
    body,
    uniqueDigest,
    digest: sha256(body),
    tenants: invoice.tenants.map(({ tenant }) => tenant),
    issuedBy: truncateUtf8(MAX_NAME_BYTES, account.name),
  };
}

/** The invoice in a stored answer. */
export const parseStoredInvoice = (body: Buffer | string): Invoice =>
  (JSON.parse(body.toString('utf8')) as InvoiceJson).invoice;

/** Checks the members that the table's columns need; the rest is stored as it was sent. */
function sentInvoiceIn(text: string): Invoice {
  try {
    const { invoice } = JSON.parse(text) as InvoiceJson;
    const { date, currency, total, tenants } = invoice;
    const isWhole =
      /^\d{4}-\d\d-\d\d$/.test(date) &&
      /^[A-Z]{3}$/.test(currency) &&
      Number.isSafeInteger(total) &&
      tenants.every(({ tenant }) => typeof tenant === 'string');
    if (isWhole) return invoice;
  } catch {
    // The same refusal as for JSON that is not a document.
  }
  throw new ApiError('E0045R', 'document.form');
}
