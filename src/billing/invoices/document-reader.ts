import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Between, Brackets, In, IsNull, type FindOptionsWhere, type Repository } from 'typeorm';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import type { InvoiceListQuery } from '../invoice.dto.js';
import { Prices } from '../pricing/price-list.js';
import { dateOf, firstDayOf, parseDate } from '../usage/calendar.js';
import { StoredAnswer } from './shown-invoice.answer.js';
import { uniqueCreditNoteDigest } from './drafts.js';
import { InvoiceEntity } from './invoice.entity.js';
import { parseStoredInvoice } from './document-store.js';
import type { InvoiceEntry } from './invoice-list.answer.js';
import { parseNumber, numberText, type DocumentNumber } from './document-series.js';

/** The maximum number of entries in a list. */
const MAX_ENTRIES = 100;

const NEWEST_FIRST = { issuedAt: 'DESC', series: 'DESC', number: 'DESC' } as const;

/** The first condition is the range of the index. */
const BEFORE = `i.issuedAt <= :issuedAt AND (i.issuedAt < :issuedAt OR i.series < :series
  OR (i.series = :series AND i.number < :number))`;

type EntryRow = Omit<InvoiceEntity, 'xml'>;
type CreditNotes = ReadonlyMap<number | string | undefined, number | string>;

/**
 * Stored invoices, statements and credit notes of the tenants that an account may see. Documents of an
 * earlier tenant with the same name are excluded.
 */
@Injectable()
export class DocumentReader {
  constructor(
    @InjectRepository(InvoiceEntity) private readonly invoices: Repository<InvoiceEntity>,
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    private readonly prices: Prices,
  ) {}

  /** The issuer's logo for pages, as a `data:` URL. */
  get logo(): string | undefined {
    return this.prices.booking.logo;
  }

  /**
   * Lists stored documents, newest first.
   *
   * @returns at most 100 entries, and `next` for `before` if there are more
   */
  async list(
    account: Account,
    { before, ...filter }: InvoiceListQuery = {},
  ): Promise<{ invoices: InvoiceEntry[]; next?: number | string }> {
    const wanted = await this.conditionsOf(filter);
    // One row more than the page reveals whether there is another page.
    const found = this.invoices
      .createQueryBuilder('i')
      .setFindOptions({ where: wanted, order: NEWEST_FIRST, take: MAX_ENTRIES + 1 });
    if (before) found.andWhere(BEFORE, { ...before, issuedAt: await this.issuedAt(before) });
    // Otherwise the size of a page and the place of the next one would reveal documents of other tenants.
    const own = await this.openTenantsOf(account);
    if (own) {
      const tenantId = In(own.map(({ id }) => id));
      found.andWhere(
        new Brackets((own) => own.where({ tenantId: IsNull() }).orWhere({ tenantId })),
      );
    }
    const read = await found.getMany();
    const rows = read.slice(0, MAX_ENTRIES);
    const oldest = read.length > MAX_ENTRIES ? rows.at(-1) : undefined;
    const visible = rows.filter((row) => maySee(account, own, row));
    const [lastMonth, credits] = await Promise.all([
      this.monthsBefore(visible),
      this.creditNotesOf(visible),
    ]);
    return {
      invoices: visible.map((row) => ({
        ...entryOf(row, lastMonth.get(monthBeforeOf(row))),
        ...cancelledBy(credits, row),
      })),
      ...(oldest && { next: numberText(oldest) }),
    };
  }

  /** Yields all entries of a filter, newest first, slice by slice; a slice is read when the caller requests it. */
  async *slices(account: Account, filter: InvoiceListQuery): AsyncGenerator<InvoiceEntry[], void> {
    let before = filter.before;
    do {
      const { invoices, next } = await this.list(account, { ...filter, ...(before && { before }) });
      yield invoices;
      before = next === undefined ? undefined : parseNumber(`${next}`);
    } while (before);
  }

  /** The number of stored invoices of a month (`2026-01`) without cancelled ones. */
  async countOf(account: Account, month: string): Promise<number> {
    // A credit note has the date and the tenants of the invoice that it cancels.
    const found = await this.invoices.find({
      select: { series: true, number: true, kind: true, tenantId: true, tenants: true },
      where: { ...(await this.conditionsOf({ month })), kind: In(['invoice', 'credit-note']) },
    });
    const own = await this.openTenantsOf(account);
    const visible = found.filter((row) => maySee(account, own, row));
    const invoices = visible.filter(({ kind }) => kind === 'invoice').length;
    const cancelled = visible.length - invoices;
    return invoices - cancelled;
  }

  /** Reads the stored answer of a number; `undefined` if the account may see none. */
  async read(account: Account, number: DocumentNumber): Promise<StoredAnswer | undefined> {
    const row = await this.find(account, number);
    if (!row) return undefined;
    const { cancelledBy: creditNote } = cancelledBy(await this.creditNotesOf([row]), row);
    return new StoredAnswer(row, creditNote, this.logo);
  }

  /** The tenants by which an account may filter, including removed ones, which may have invoices. */
  async tenantsOf({ tenants }: Account): Promise<Pick<Tenant, 'name' | 'displayName'>[]> {
    const found = await this.tenants.find({
      where: tenants ? { name: In([...tenants]) } : {},
      order: { name: 'ASC', closedAt: 'DESC' },
    });
    // The current tenant of a name comes last.
    return [...new Map(found.map((one) => [one.name, one])).values()];
  }

  /** Reads the row of a number; `undefined` if the account may see none. */
  async find(
    account: Account,
    { series, number }: DocumentNumber,
  ): Promise<InvoiceEntity | undefined> {
    const row = await this.invoices
      .createQueryBuilder('i')
      .addSelect('i.xml')
      .where({ series, number })
      .getOne();
    return row && maySee(account, await this.openTenantsOf(account), row) ? row : undefined;
  }

  /** The credit notes of the cancelled invoices among the rows, by the number of the invoice. */
  private async creditNotesOf(
    rows: readonly Pick<EntryRow, 'kind' | 'series' | 'number' | 'date'>[],
  ): Promise<CreditNotes> {
    const bills = rows.filter(({ kind }) => kind === 'invoice');
    if (bills.length === 0) return new Map();
    const found = await this.invoices.find({
      select: { series: true, number: true, cancels: true, cancelsSeries: true },
      where: {
        date: In([...new Set(bills.map(({ date }) => date))]),
        uniqueDigest: In(bills.map((row) => uniqueCreditNoteDigest(numberText(row)))),
      },
    });
    return new Map(found.map((row) => [cancelsOf(row).cancels, numberText(row)]));
  }

  private async conditionsOf({
    month,
    tenant,
    kind,
  }: InvoiceListQuery): Promise<FindOptionsWhere<InvoiceEntity>> {
    const owners = tenant === undefined ? [] : await this.tenants.findBy({ name: tenant });
    return {
      ...(month !== undefined && { date: Between(`${month}-01`, `${month}-31`) }),
      ...(tenant !== undefined && { tenantId: In(owners.map(({ id }) => id)) }),
      ...(kind && { kind }),
    };
  }

  /** The net amounts of the invoices of the preceding months that are not cancelled, by `monthBeforeOf`. */
  private async monthsBefore(rows: readonly EntryRow[]): Promise<ReadonlyMap<string, number>> {
    const charged = rows.filter(({ kind, tenantId }) => kind === 'invoice' && tenantId);
    if (charged.length === 0) return new Map();
    const found = await this.invoices.find({
      select: { series: true, number: true, kind: true, tenantId: true, date: true, total: true },
      where: {
        kind: 'invoice',
        tenantId: In(charged.flatMap(({ tenantId }) => tenantId ?? [])),
        date: In([...new Set(charged.map(({ date }) => lastDayOfPreviousMonth(date)))]),
      },
    });
    // A month is invoiced again only after a credit note: at most one of its invoices is valid.
    const credits = await this.creditNotesOf(found);
    const valid = found.filter((row) => !credits.has(numberText(row)));
    return new Map(valid.map((row) => [keyOf(row.tenantId, row.date), row.total]));
  }

  /** When a number was stored; 0 if it is not. */
  private async issuedAt({ series, number }: DocumentNumber): Promise<number> {
    const row = await this.invoices.findOne({
      select: { issuedAt: true },
      where: { series, number },
    });
    return row?.issuedAt ?? 0;
  }

  /** The current tenants that an account may see; `undefined` without a limit. */
  private async openTenantsOf({ tenants }: Account): Promise<Tenant[] | undefined> {
    return tenants && this.tenants.findBy({ name: In([...tenants]), closedAt: 0 });
  }
}

/** @param own the current tenants that the account may see; `undefined` without a limit */
function maySee(
  account: Account,
  own: Tenant[] | undefined,
  row: Pick<EntryRow, 'tenantId' | 'tenants'>,
): boolean {
  const { tenantId, tenants } = row;
  if (!own) return true;
  return tenantId === null
    ? tenants.every((tenant) => seesTenant(account, tenant))
    : own.some(({ id }) => id.equals(tenantId));
}

const lastDayOfPreviousMonth = (date: string): string =>
  dateOf(firstDayOf(parseDate(date) ?? 0) - 1);

const keyOf = (tenantId: Buffer | null, date: string) => `${tenantId?.toString('hex')} ${date}`;

const monthBeforeOf = ({ kind, tenantId, date }: EntryRow): string =>
  kind === 'invoice' && tenantId ? keyOf(tenantId, lastDayOfPreviousMonth(date)) : '';

/** The number of the invoice that a credit note cancels; empty for other rows. */
function cancelsOf({ cancels, cancelsSeries }: Pick<EntryRow, 'cancels' | 'cancelsSeries'>) {
  if (cancels === null) return {};
  return { cancels: numberText({ series: cancelsSeries ?? 'invoice', number: cancels }) };
}

function cancelledBy(credits: CreditNotes, row: Pick<EntryRow, 'series' | 'number'>) {
  const number = credits.get(numberText(row));
  return number === undefined ? {} : { cancelledBy: number };
}

function entryOf(row: EntryRow, lastMonth: number | undefined): InvoiceEntry {
  const {
    period,
    issuedOn,
    dueOn,
    recipient,
    tenants,
    gross = row.total,
  } = parseStoredInvoice(row.body);
  const [tenant, other] = tenants;
  return {
    number: numberText(row),
    kind: row.kind,
    tenants: row.tenants,
    date: row.date,
    from: period.from,
    ...(issuedOn !== undefined && { issuedOn }),
    ...(dueOn !== undefined && { dueOn }),
    ...(recipient && { recipient: recipient.name }),
    currency: row.currency,
    total: row.total,
    ...(tenant?.vat && !other && { vat: tenant.vat }),
    gross,
    ...(lastMonth !== undefined && { lastMonth }),
    ...cancelsOf(row),
    digest: row.digest.toString('hex'),
    ...(row.xmlDigest && { xmlDigest: row.xmlDigest.toString('hex') }),
    issuedAt: new Date(row.issuedAt).toISOString(),
    issuedBy: row.issuedBy,
  };
}
