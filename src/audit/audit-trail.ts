import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { Database, type CommitOptions } from '../platform/database/database.js';
import { falseIfTaken } from '../platform/database/commit/unique-violation.js';
import type { Step, Unit } from '../platform/database/commit/unit.js';
import { AuditHead } from './chain/audit-head.js';
import { isRevoking, type AuditEntry } from './audit-entry.js';
import type { AuditRow } from './audit-row.entity.js';
import { APPEND_ROW, HASH_OF_ROW } from './audit.statements.js';
import { seal, type ChainHead } from './chain/chain.js';

const FORM = /^(\d+) ([0-9a-f]{64})(?: ([\w.-]+) (\{.*\}))?$/;

/**
 * Appends to the audit trail. Each row is sealed onto the previous one, so all instances append at one place:
 * the head. A transaction locks it after all other steps, so that changes wait for each other only while they
 * commit, and seals the rows of the changes that apply.
 */
@Injectable()
export class AuditTrail {
  /** A pending read of the head, shared by simultaneous changes. */
  private reading: Promise<ChainHead> | undefined;
  private checking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly record: AuditHead,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks, before a change is made, that a row can be written.
   *
   * @throws ApiError E0052R if it cannot, otherwise the driver's error
   */
  async ready(): Promise<void> {
    this.reading ??= this.record.read().finally(() => (this.reading = undefined));
    await this.reading;
  }

  /**
   * Stores a row durably before it resolves.
   *
   * @throws OutcomeUnknown if the database does not report whether it is stored, otherwise the driver's error
   */
  async append(entry: AuditEntry): Promise<void> {
    if (!(await this.commit([entry], []))) throw new Error('The audit trail took no row.');
  }

  /**
   * Stores a change and its rows in one unit, so that neither is stored without the other.
   *
   * @param entries at least one
   * @param change its conditions decide whether it applies
   * @returns `false` if a condition or a unique key refused the change; nothing is stored then
   * @throws OutcomeUnknown if the database does not report whether it is stored, otherwise the driver's error
   * @throws ApiError E0052R if no row can be written
   */
  async commit(
    entries: readonly AuditEntry[],
    change: Unit,
    options: CommitOptions = {},
  ): Promise<boolean> {
    const outcome = await this.store(entries, change, options);
    if (outcome === 'stored') return true;
    // A trail that accepts no rows refuses every change: this is an error, not `false`. The check creates the record
    // of the newest row, which the first row of a database lacks: a read before each change would cost a round trip.
    await (this.checking ??= this.check().finally(() => (this.checking = undefined)));
    if (outcome === 'refused') return false;
    return (await this.store(entries, change, options)) === 'stored';
  }

  private async store(
    entries: readonly AuditEntry[],
    change: Unit,
    options: CommitOptions,
  ): Promise<'stored' | 'refused' | 'no-record'> {
    let rows: readonly AuditRow[] = [];
    let refusal: 'refused' | 'no-record' = 'refused';
    const append = this.record.append(
      (head) => (rows = this.sealed(entries, head)),
      () => (refusal = 'no-record'),
    );
    const committing = this.database.commit([...change, append], {
      ...options,
      ownTransaction: true,
    });
    if (!(await falseIfTaken(committing))) return refusal;
    for (const row of rows) logAuditRow(row);
    return 'stored';
  }

  private async check(): Promise<void> {
    const { seq } = await this.record.read();
    const [next] = await this.database.query(HASH_OF_ROW, { seq: seq + 1 });
    // Another instance may have appended it in between.
    if (next && (await this.record.read()).seq === seq) {
      throw new Error('The audit trail takes no row: its head and its rows do not fit.');
    }
  }

  private sealed(entries: readonly AuditEntry[], head: ChainHead): readonly AuditRow[] {
    const now = this.clock.now();
    let last = head;
    return entries.map((entry) => {
      const row = seal(entry, last, now);
      last = row;
      return row;
    });
  }

  /**
   * Stores a sealed row.
   *
   * @param advance the step that advances the record to it
   * @param furtherSteps further steps of the same unit
   * @returns `false` if another instance advanced the record first, or a further step was refused
   */
  async insert(row: AuditRow, advance: Step, furtherSteps: Unit = []): Promise<boolean> {
    const unit = [advance, APPEND_ROW.step(row), ...furtherSteps];
    if (!(await falseIfTaken(this.database.commit(unit)))) return false;
    logAuditRow(row);
    return true;
  }
}

/** Repeats every row in the log, which is stored elsewhere. */
export const logAuditRow = (row: AuditRow): void => Logger.log(logMessageOfRow(row), 'Audit');

/** The data of a row in the log. */
export interface LoggedRow {
  readonly seq: number;
  readonly hash: string;
  /** The revocation and its facts; absent for all other actions. */
  readonly revoked?: { readonly action: string; readonly facts: string };
}

/**
 * Returns the log line of a row: number and hash. For a revocation it also contains action, names and detail, since
 * a restored backup does not know of it.
 */
export function logMessageOfRow(row: AuditRow): string {
  const { seq, hash, action, result } = row;
  const line = `${seq} ${hash.toString('hex')}`;
  if (result !== 'ok' || !isRevoking(action)) return line;
  const facts = {
    tenant: row.tenant?.toString('utf8'),
    relyingParty: row.relyingParty?.toString('utf8'),
    target: row.target?.toString('utf8'),
    detail: JSON.parse(row.detail) as unknown,
  };
  return `${line} ${action} ${JSON.stringify(facts)}`;
}

/** Reads the message of a log line; `undefined` for other messages. */
export function loggedRowIn(message: string): LoggedRow | undefined {
  const [, seq, hash = '', action, facts = ''] = FORM.exec(message) ?? [];
  if (seq === undefined) return undefined;
  return { seq: Number(seq), hash, ...(action !== undefined && { revoked: { action, facts } }) };
}
