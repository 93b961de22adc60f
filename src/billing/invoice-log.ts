import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../database/commit/unique-violation.js';
import { ok } from '../http/ok.js';
import { seesTenant } from '../security/account.js';
import type { Account } from '../security/account.js';
import type { Invoice } from './invoice.js';

/** A stored invoice, without what it says. */
export interface InvoiceEntry {
  readonly number: number;
  readonly date: string;
  readonly currency: string;
  readonly total: number;
  /** SHA-256 of the stored bytes, hex. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly issuedAt: string;
  readonly issuedBy: string;
}

interface EntryRow {
  readonly number: number;
  readonly date: string;
  readonly currency: string;
  readonly total: number;
  readonly tenants: string;
  readonly digest: Buffer;
  readonly issuedAt: number;
  readonly issuedBy: Buffer;
}

type NumberedInvoice = Invoice & { readonly number: number };

/** Entries of one list. */
const MAX_ENTRIES = 100;
/** Each lost turn means that another invoice got its number. */
const ATTEMPTS = 100;
const PAUSE_MS = 20;

const ENTRY = `number, date, currency, total, tenants, digest, issued_at AS issuedAt,
  issued_by AS issuedBy`;

/**
 * Numbered invoices. The next number is one more than the last, and a number is given by inserting
 * its row: the key lets one of several through, the others read again. Rows are never deleted, so
 * the numbers have no gap; the same figures of the same date are one row.
 */
@Injectable()
export class InvoiceLog {
  constructor(
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
    const sql = `SELECT ${ENTRY} FROM invoices WHERE number < ? ORDER BY number DESC LIMIT ?`;
    const rows = await this.database.query<EntryRow>(sql).all(before, MAX_ENTRIES);
    const oldest = rows.length === MAX_ENTRIES ? rows.at(-1)?.number : undefined;
    return {
      invoices: rows.filter((row) => maySee(account, row)).map(entryOf),
      ...(oldest === undefined || oldest === 1 ? {} : { next: oldest }),
    };
  }

  /** The answer of the call that issued an invoice, byte for byte; `undefined`: there is none. */
  async read(account: Account, number: number): Promise<string | undefined> {
    const sql = `SELECT ${ENTRY}, body FROM invoices WHERE number = ?`;
    const [row] = await this.database.query<EntryRow & { body: Buffer }>(sql).all(number);
    return row && maySee(account, row) ? row.body.toString('utf8') : undefined;
  }

  private async numberOf(date: string, figures: Buffer): Promise<number | undefined> {
    const sql = 'SELECT number FROM invoices WHERE date = ? AND figures = ?';
    const [row] = await this.database.query<{ number: number }>(sql).all(date, figures);
    return row?.number;
  }

  private async lastNumber(): Promise<number> {
    const sql = 'SELECT COALESCE(MAX(number), 0) AS number FROM invoices';
    const [row] = await this.database.query<{ number: number }>(sql).all();
    return row?.number ?? 0;
  }

  /** @returns `false` when the number or the figures have a row meanwhile */
  private async insert(
    invoice: NumberedInvoice,
    figures: Buffer,
    account: Account,
  ): Promise<boolean> {
    const body = Buffer.from(JSON.stringify(ok({ invoice })));
    const { number, date, currency, total, tenants } = invoice;
    const names = JSON.stringify(tenants.map(({ tenant }) => tenant));
    const sql = `INSERT INTO invoices
        (number, date, figures, digest, body, tenants, currency, total, issued_at, issued_by)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const issuer = Buffer.from(account.name).subarray(0, 255);
    const at = this.clock.now();
    const row = [number, date, figures, digestOf(body), body, names, currency, total, at, issuer];
    try {
      return await this.database.commit([{ sql, params: row }]);
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}

const digestOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const maySee = (account: Account, { tenants }: EntryRow): boolean =>
  (JSON.parse(tenants) as string[]).every((tenant) => seesTenant(account, tenant));

const entryOf = ({ number, date, currency, total, digest, issuedAt, issuedBy }: EntryRow) => ({
  number,
  date,
  currency,
  total,
  digest: digest.toString('hex'),
  issuedAt: new Date(issuedAt).toISOString(),
  issuedBy: issuedBy.toString('utf8'),
});
