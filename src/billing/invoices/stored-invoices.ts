import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan } from 'typeorm';
import type { FindOptionsWhere, Repository } from 'typeorm';
import { seesTenant } from '../../platform/access/accounts/account.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import { StoredAnswer } from '../invoice.answer.js';
import { creditOnce } from './drafts.js';
import { InvoiceEntity } from './invoice.entity.js';
import type { InvoiceEntry } from './invoice-list.schema.js';
import { toldNumber } from './stored-number.js';
import type { StoredNumber } from './stored-number.js';

/** Entries of one list at most. */
const MAX_ENTRIES = 100;

/** What a list shows: all but the stored bytes. */
const ENTRY = {
  series: true,
  number: true,
  kind: true,
  tenantId: true,
  cancels: true,
  cancelsSeries: true,
  date: true,
  currency: true,
  total: true,
  tenants: true,
  digest: true,
  xmlDigest: true,
  issuedAt: true,
  issuedBy: true,
} as const;

type EntryRow = Pick<InvoiceEntity, keyof typeof ENTRY>;
type MaySee = (row: EntryRow) => boolean;

/**
 * Stored invoices, statements and credit notes, as far as an account may see their tenants. Those of an
 * earlier tenant of the same name are left out.
 */
@Injectable()
export class StoredInvoices {
  constructor(
    @InjectRepository(InvoiceEntity) private readonly invoices: Repository<InvoiceEntity>,
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
  ) {}

  /**
   * Lists what is stored, the newest first.
   *
   * @param before lists only what was stored before this one
   * @returns at most 100 entries, and `next` for `before` where there are more
   */
  async list(
    account: Account,
    before?: StoredNumber,
  ): Promise<{ invoices: InvoiceEntry[]; next?: number | string }> {
    const rows = await this.invoices.find({
      select: ENTRY,
      where: before ? await this.storedBefore(before) : {},
      order: { issuedAt: 'DESC', series: 'DESC', number: 'DESC' },
      take: MAX_ENTRIES,
    });
    const oldest = rows.length === MAX_ENTRIES ? rows.at(-1) : undefined;
    const maySee = await this.visibleTo(account);
    return {
      invoices: rows.filter(maySee).map(entryOf),
      ...(oldest && { next: toldNumber(oldest) }),
    };
  }

  /** The stored answer of a number; `undefined` where there is none that the account may see. */
  async read(account: Account, number: StoredNumber): Promise<StoredAnswer | undefined> {
    const row = await this.find(account, number);
    return row && new StoredAnswer(row, await this.creditNoteOf(row));
  }

  /** The row of a number; `undefined` where there is none that the account may see. */
  async find(
    account: Account,
    { series, number }: StoredNumber,
  ): Promise<InvoiceEntity | undefined> {
    const row = await this.invoices.findOneBy({ series, number });
    const maySee = await this.visibleTo(account);
    return row && maySee(row) ? row : undefined;
  }

  private async creditNoteOf(row: InvoiceEntity): Promise<number | string | undefined> {
    if (row.kind !== 'invoice') return undefined;
    const where = { date: row.date, figures: creditOnce(toldNumber(row)) };
    const select = { series: true, number: true } as const;
    const credit = await this.invoices.findOne({ select, where });
    return credit ? toldNumber(credit) : undefined;
  }

  private async storedBefore({
    series,
    number,
  }: StoredNumber): Promise<FindOptionsWhere<InvoiceEntity>[]> {
    const row = await this.invoices.findOne({
      select: { issuedAt: true },
      where: { series, number },
    });
    const issuedAt = row?.issuedAt ?? 0;
    return [
      { issuedAt: LessThan(issuedAt) },
      { issuedAt, series: LessThan(series) },
      { issuedAt, series, number: LessThan(number) },
    ];
  }

  private async visibleTo(account: Account): Promise<MaySee> {
    if (!account.tenants) return () => true;
    const own = await this.tenants.findBy({ name: In([...account.tenants]), closedAt: 0 });
    return ({ tenantId, tenants }) =>
      tenantId === null
        ? tenants.every((tenant) => seesTenant(account, tenant))
        : own.some(({ id }) => id.equals(tenantId));
  }
}

const entryOf = (row: EntryRow): InvoiceEntry => ({
  number: toldNumber(row),
  kind: row.kind,
  tenants: row.tenants,
  date: row.date,
  currency: row.currency,
  total: row.total,
  ...(row.cancels !== null && {
    cancels: toldNumber({ series: row.cancelsSeries ?? 'invoice', number: row.cancels }),
  }),
  digest: row.digest.toString('hex'),
  ...(row.xmlDigest && { xmlDigest: row.xmlDigest.toString('hex') }),
  issuedAt: new Date(row.issuedAt).toISOString(),
  issuedBy: row.issuedBy,
});
