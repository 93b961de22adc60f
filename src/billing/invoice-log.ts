import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan } from 'typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../common/clock.js';
import { Database } from '../database/database.js';
import { insertStep } from '../database/commit/step-of.js';
import { isUniqueViolation } from '../database/commit/unique-violation.js';
import { ok } from '../http/ok.js';
import { seesTenant } from '../security/account.js';
import type { Account } from '../security/account.js';
import { MAX_NAME_BYTES, cutTo } from '../validation/names.js';
import type { Invoice, InvoiceEntry } from './invoice.schema.js';
import { InvoiceEntity } from './invoice.entity.js';

type NumberedInvoice = Invoice & { readonly number: number };

/** Entries of one list. */
const MAX_ENTRIES = 100;
/** Each lost turn means that another invoice got its number. */
const ATTEMPTS = 100;
const PAUSE_MS = 20;

/** What a list shows: all but the stored bytes. */
const ENTRY = {
  number: true,
  date: true,
  currency: true,
  total: true,
  tenants: true,
  digest: true,
  issuedAt: true,
  issuedBy: true,
} as const;

type EntryRow = Pick<InvoiceEntity, keyof typeof ENTRY>;

/**
 * Numbered invoices. The next number is one more than the last, and a number is given by inserting
 * its row: the key lets one of several through, the others read again. Rows are never deleted, so
 * the numbers have no gap; the same figures of the same date are one row.
 */
@Injectable()
export class InvoiceLog {
  constructor(
    @InjectRepository(InvoiceEntity) private readonly invoices: Repository<InvoiceEntity>,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Stores an invoice and gives it a number, unless the same is stored already: then that one. */
  async issue(invoice: Invoice, account: Account): Promise<NumberedInvoice> {
    const figures = digestOf(Buffer.from(JSON.stringify(invoice)));
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const issued = await this.numberOf(invoice.date, figures);
      if (issued !== undefined) return { ...invoice, number: issued };
      const numbered = { ...invoice, number: (await this.lastNumber()) + 1 };
      if (await this.insert(numbered, figures, account)) return numbered;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS));
    }
    throw new Error('The invoice got no number: others were faster each time.');
  }

  /**
   * Stored invoices, newest first, that show no tenant which the account may not see.
   *
   * @param before lists numbers below this one
   * @returns at most 100, and from where to list on when there are more
   */
  async list(
    account: Account,
    before = Number.MAX_SAFE_INTEGER,
  ): Promise<{ invoices: InvoiceEntry[]; next?: number }> {
    const rows = await this.invoices.find({
      select: ENTRY,
      where: { number: LessThan(before) },
      order: { number: 'DESC' },
      take: MAX_ENTRIES,
    });
    const oldest = rows.length === MAX_ENTRIES ? rows.at(-1)?.number : undefined;
    return {
      invoices: rows.filter((row) => maySee(account, row)).map(entryOf),
      ...(oldest === undefined || oldest === 1 ? {} : { next: oldest }),
    };
  }

  /** The answer of the call that issued an invoice, byte for byte; `undefined`: there is none. */
  async read(account: Account, number: number): Promise<string | undefined> {
    const row = await this.invoices.findOneBy({ number });
    return row && maySee(account, row) ? row.body.toString('utf8') : undefined;
  }

  private async numberOf(date: string, figures: Buffer): Promise<number | undefined> {
    const where = { date, figures };
    return (await this.invoices.findOne({ select: { number: true }, where }))?.number;
  }

  private async lastNumber(): Promise<number> {
    return (await this.invoices.maximum('number')) ?? 0;
  }

  /** @returns `false` when the number or the figures have a row meanwhile */
  private async insert(
    invoice: NumberedInvoice,
    figures: Buffer,
    account: Account,
  ): Promise<boolean> {
    const body = Buffer.from(JSON.stringify(ok({ invoice })));
    const { number, date, currency, total } = invoice;
    const insert = insertStep(this.invoices, {
      ...{ number, date, figures, digest: digestOf(body), body, currency, total },
      tenants: invoice.tenants.map(({ tenant }) => tenant),
      issuedAt: this.clock.now(),
      issuedBy: cutTo(MAX_NAME_BYTES, account.name),
    });
    try {
      return await this.database.commit([insert]);
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}

const digestOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const maySee = (account: Account, { tenants }: EntryRow): boolean =>
  tenants.every((tenant) => seesTenant(account, tenant));

const entryOf = ({ number, date, currency, total, digest, issuedAt, issuedBy }: EntryRow) => ({
  number,
  date,
  currency,
  total,
  digest: digest.toString('hex'),
  issuedAt: new Date(issuedAt).toISOString(),
  issuedBy,
});
