import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { commitIdempotently } from '../database/commit/commit-idempotently.js';
import { Database } from '../database/database.js';
import type { Step } from '../database/commit/unit.js';
import { AuditHead } from './audit-head.js';
import { AUDIT_COLUMNS } from './audit-row.js';
import type { AuditEntry, AuditRow } from './audit-row.js';
import { APPEND_ROW, HASH_OF_ROW } from './audit.statements.js';
import { seal } from './chain.js';
import type { Head } from './chain.js';

/** Rows of one unit at most, so that a transaction stays short. */
const MAX_ROWS = 64;
/**
 * Attempts: instances that append at once take turns by chance, and each miss means that another got through.
 */
const ATTEMPTS = 100;
const PAUSE_MS = 20;

interface Waiting {
  readonly entry: AuditEntry;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Appends to the audit trail. Each row is sealed onto the one before, so all instances append at one place:
 * the head. It moves by compare-and-set in the unit that inserts the rows; an instance that finds it moved
 * reads it again. Entries that arrive together are stored together.
 */
@Injectable()
export class AuditLog {
  private waiting: Waiting[] = [];
  private busy = false;
  /** The head as this process last knew it. */
  private head: Head | undefined;

  constructor(
    private readonly database: Database,
    private readonly record: AuditHead,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks, before a change is made, that a row can be written at all.
   *
   * @throws ApiError E0052R where it cannot, else the driver's error
   */
  async ready(): Promise<void> {
    await this.record.read();
  }

  /**
   * Stores a row for good before it resolves.
   *
   * @throws OutcomeUnknown when the connection broke twice while committing, else the driver's error
   */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ entry, resolve, reject });
      if (!this.busy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.busy = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_ROWS);
      try {
        await this.store(batch.map(({ entry }) => entry));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.busy = false;
  }

  private async store(entries: readonly AuditEntry[]): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const head = this.head ?? (await this.record.read());
      this.head = undefined;
      const rows = sealAll(entries, head, this.clock.now());
      if (await this.insert(rows, this.record.move(head, rows.at(-1) ?? head))) {
        this.head = rows.at(-1);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS));
    }
    throw new Error('The audit trail took no row: its head and its rows do not fit.');
  }

  /**
   * Stores sealed rows.
   *
   * @param move the step that moves the record to the last of them
   * @param along further steps of the same unit
   * @returns `false` where another instance moved the record first
   */
  async insert(
    rows: readonly AuditRow[],
    move: Step,
    along: readonly Step[] = [],
  ): Promise<boolean> {
    const last = rows.at(-1);
    const unit = [move, ...rows.map(insertion), ...along];
    const stored = await commitIdempotently(
      this.database,
      unit,
      async () => last === undefined || (await this.holds(last)),
    );
    if (!stored) return false;
    // The log goes elsewhere: it is a second witness of every row.
    for (const { seq, hash } of rows) Logger.log(`${seq} ${hash.toString('hex')}`, 'Audit');
    return true;
  }

  /** Whether this row is stored. No two rows have the same hash, since each has a random salt. */
  private async holds({ seq, hash }: Head): Promise<boolean> {
    const query = this.database.query<Head>(HASH_OF_ROW);
    const [row] = await query.all(seq);
    return row?.hash.equals(hash) === true;
  }
}

function sealAll(entries: readonly AuditEntry[], head: Head, now: number): AuditRow[] {
  const rows: AuditRow[] = [];
  for (const entry of entries) rows.push(seal(entry, rows.at(-1) ?? head, now));
  return rows;
}

const insertion = (row: AuditRow): Step => ({
  sql: APPEND_ROW,
  params: AUDIT_COLUMNS.map((column) => row[column]),
});
