import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { commitIdempotently } from '../platform/database/commit/commit-idempotently.js';
import { Database } from '../platform/database/database.js';
import type { CommitOptions } from '../platform/database/database.js';
import type { Step, Unit } from '../platform/database/commit/unit.js';
import { witnessOf } from './audit-witness.js';
import { AuditHead } from './chain/audit-head.js';
import type { AuditEntry } from './audit-entry.js';
import type { AuditRow } from './audit-row.entity.js';
import { APPEND_ROW, HASH_OF_ROW } from './audit.statements.js';
import { seal } from './chain/chain.js';
import type { Head } from './chain/chain.js';

/** Rows that are stored together at most, so that a transaction stays short. */
const MAX_ROWS = 64;
/** Changes of long jobs are large, and other changes wait for those under way. */
const MAX_BACKGROUND = 32;
/**
 * Attempts: instances that append at once take turns by chance, and each miss means that another got through.
 */
const ATTEMPTS = 100;
const PAUSE_MS = 20;
const NO_FIT = 'The audit trail took no row: its head and its rows do not fit.';

interface QueuedEntries {
  readonly entries: readonly AuditEntry[];
  /** Of a change: its steps, which are stored with the rows or not at all. */
  readonly change: Unit | undefined;
  /** How often another instance was faster. */
  readonly misses: number;
  resolve(stored: boolean): void;
  reject(error: unknown): void;
}

/** Rows that are to follow `before`. */
interface SealedRows {
  readonly waiting: QueuedEntries;
  readonly before: Head;
  readonly rows: readonly AuditRow[];
}

/**
 * Appends to the audit trail. Each row is sealed onto the one before, so all instances append at one place:
 * the head. It moves by compare-and-set in the unit that inserts a row; an instance that finds it moved reads
 * it again. Rows that arrive together are stored together, each as a unit that continues the one before.
 */
@Injectable()
export class AuditLog {
  private waiting: QueuedEntries[] = [];
  private background: QueuedEntries[] = [];
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
  async append(entry: AuditEntry): Promise<void> {
    await this.store([entry], undefined);
  }

  /**
   * Stores a change and its rows in one unit: there is never one without the other. Where the answer to the
   * commit is lost, the rows show whether the change is stored.
   *
   * @param entries at least one
   * @param change its guards decide whether it applies
   * @param background one of a great many: other rows go first
   * @returns `false` when a guard or a unique key refused the change; nothing is stored then
   * @throws OutcomeUnknown when the connection broke twice while committing, else the driver's error
   */
  commit(
    entries: readonly AuditEntry[],
    change: Unit,
    { background = false }: CommitOptions = {},
  ): Promise<boolean> {
    return this.store(entries, change, background);
  }

  private store(
    entries: readonly AuditEntry[],
    change: Unit | undefined,
    background = false,
  ): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const queue = background ? this.background : this.waiting;
      queue.push({ entries, change, misses: 0, resolve, reject });
      if (this.busy) return;
      this.busy = true;
      // Rows that are appended in the same turn go along.
      queueMicrotask(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length + this.background.length > 0) {
      const background = this.waiting.length === 0;
      const queue = background ? this.background : this.waiting;
      const batch = queue.splice(0, background ? MAX_BACKGROUND : MAX_ROWS);
      try {
        const missed = await this.storeAll(batch, { background, apart: true });
        queue.unshift(...missed);
        // Nothing was stored: another instance is appending.
        if (missed.length === batch.length) await pause(Math.random() * PAUSE_MS);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.busy = false;
  }

  /**
   * Stores what waits, each in a unit of its own that continues the one before: where one is refused, so are
   * all behind it.
   *
   * @returns those that have to be tried again, since the head was not where they expected it
   */
  private async storeAll(
    batch: readonly QueuedEntries[],
    options: CommitOptions,
  ): Promise<readonly QueuedEntries[]> {
    let last = this.head ?? (await this.record.read());
    this.head = undefined;
    const now = this.clock.now();
    const sealed: SealedRows[] = [];
    for (const waiting of batch) {
      const before = last;
      const rows = waiting.entries.map((entry) => {
        const row = seal(entry, last, now);
        last = row;
        return row;
      });
      sealed.push({ waiting, before, rows });
    }
    // All of them are handed over in this turn, so the database keeps their order.
    const stored = await Promise.all(sealed.map((one) => this.attempt(one, options)));
    if (stored.every((outcome) => outcome === 'stored')) this.head = last;
    const missed = sealed.filter((_, n) => stored[n] === 'missed');
    return missed.length === 0 ? [] : this.unsettled(missed, batch.length);
  }

  /** Stores rows and the change in one unit, and answers the callers that wait for them unless the unit was refused. */
  private async attempt(
    { waiting: { change: along, resolve, reject }, before, rows }: SealedRows,
    options: CommitOptions,
  ): Promise<'stored' | 'missed' | 'failed'> {
    try {
      const move = this.record.move(before, rows.at(-1) ?? before);
      if (!(await this.insert(rows, move, { along, ...options }))) return 'missed';
      resolve(true);
      return 'stored';
    } catch (error) {
      reject(error);
      return 'failed';
    }
  }

  /**
   * Separates refused changes from misses: for a refused change the head is still where the unit expected it.
   *
   * @param of the size of the batch: where all of it missed, another instance was faster
   */
  private async unsettled(missed: readonly SealedRows[], of: number): Promise<QueuedEntries[]> {
    const { hash } = await this.record.read();
    const again: QueuedEntries[] = [];
    for (const { waiting, before } of missed) {
      if (waiting.change && before.hash.equals(hash)) waiting.resolve(false);
      else if (waiting.misses === ATTEMPTS) waiting.reject(new Error(NO_FIT));
      else again.push(waiting);
    }
    const isSlower = again.length === of;
    return again.map((one) => ({ ...one, misses: isSlower ? one.misses + 1 : 0 }));
  }

  /**
   * Stores sealed rows.
   *
   * @param move the step that moves the record to the last of them
   * @param along further steps of the same unit
   * @returns `false` where another instance moved the record first, or a further step was refused
   */
  async insert(
    rows: readonly AuditRow[],
    move: Step,
    { along = [], ...options }: CommitOptions & { readonly along?: Unit | undefined } = {},
  ): Promise<boolean> {
    const last = rows.at(-1);
    const unit = [move, ...rows.map((row) => APPEND_ROW.step(row)), ...along];
    const isStored = async () => last === undefined || (await this.holds(last));
    const stored = await commitIdempotently(this.database, unit, isStored, options);
    if (!stored) return false;
    // The log goes elsewhere: it is a second witness of every row.
    for (const row of rows) Logger.log(witnessOf(row), 'Audit');
    return true;
  }

  /** Whether this row is stored. No two rows have the same hash, since each has a random salt. */
  private async holds({ seq, hash }: Head): Promise<boolean> {
    const [row] = await this.database.query(HASH_OF_ROW, { seq });
    return row?.hash.equals(hash) === true;
  }
}
