import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Between, Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { readTurnOf } from '../../platform/common/turns/read-turns.js';
import { RoundRobin } from '../../platform/common/turns/round-robin.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { AuditHead } from '../chain/audit-head.js';
import { AuditTrail } from '../audit-trail.js';
import type { AuditEntry } from '../audit-entry.js';
import { AuditReader } from '../audit-reader.js';
import { AuditRow } from '../audit-row.entity.js';
import { ERASE_ROW, LOCK_ERASED_BY } from '../audit.statements.js';
import { auditRowsAfter } from '../chain/audit-verifier.js';
import { ERASURE_ACTION, seal, type ChainHead } from '../chain/chain.js';
import { ErasedContent, ErasurePart, TrailCheck, erasureDetail } from './erased-rows.js';
import {
  mentionsUser,
  type AuditedPlace,
  type ErasedUser,
  type RenamingRow,
} from './user-in-row.js';

/** Few enough that a transaction stays short. */
const ROWS_PER_UNIT = 1000;
/** Renamings that are read together. */
const RENAMINGS = 1000;
/** Attempts to erase a part. If a row that concerns the user was appended meanwhile, all rows are read again. */
const ATTEMPTS = 20;
/** Attempts to store an erasure. Jobs on many users append rows all the time, which concern other users. */
const STORING_ATTEMPTS = 100;
/** How often in a row a part must contain an altered row: another erasure may have changed rows while they were read. */
const MIN_SUSPICIONS = 3;

/** The account that requested an erasure, for its row. */
export type ErasureAuthor = Pick<AuditEntry, 'account' | 'role' | 'address' | 'requestId'>;

/**
 * Replaces a user with a pseudonym in the trail, which remains verifiable: the hashes are kept, their salts are
 * deleted, and a new row records the number of erased rows and the digest of their new content.
 */
@Injectable()
export class AuditErasure {
  private isErasing = false;
  /** Erasures that wait for the current one, by tenant. */
  private readonly waiting = new RoundRobin<() => void>();

  constructor(
    private readonly database: Database,
    private readonly head: AuditHead,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    private readonly reader: AuditReader,
    @InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>,
  ) {}

  /**
   * Finds the names that the user had before, each with the row of the renaming that ended it; since when the user has
   * a name that another user gave up; and the first row of the tenant.
   *
   * @param name in NFC
   */
  async namesOf(
    place: AuditedPlace,
    name: string,
  ): Promise<
    Pick<ErasedUser, 'tenantSince'> & Record<'formerNames' | 'heldSince', Map<string, RenamingRow>>
  > {
    const tenantSince = await this.reader.tenantSince(place.tenant);
    const until = new Map([[name, { seq: Number.MAX_SAFE_INTEGER, at: 0 }]]);
    const heldSince = new Map<string, RenamingRow>();
    const belongedToUser = (one: string | undefined, seq: number) =>
      one !== undefined && seq <= (until.get(one)?.seq ?? 0) && !heldSince.has(one);
    for await (const { seq, at, target, detail } of this.renamings(place, tenantSince)) {
      const { name: became } = JSON.parse(detail) as { name?: string };
      const was = target?.toString('utf8').normalize('NFC');
      if (was === undefined || became === undefined || was === became) continue;
      if (belongedToUser(became, seq)) {
        if (!until.has(was)) until.set(was, { seq, at });
      } else if (belongedToUser(was, seq)) heldSince.set(was, { seq, at });
    }
    until.delete(name);
    return { formerNames: until, heldSince, tenantSince };
  }

  /** The rows of renamings at a relying party from a row on, newest first. */
  private async *renamings(
    { tenant, relyingParty }: AuditedPlace,
    first: number,
  ): AsyncGenerator<AuditRow> {
    for (let last = Number.MAX_SAFE_INTEGER; ;) {
      const slice = await this.rows.find({
        select: { seq: true, at: true, target: true, detail: true },
        where: {
          action: 'user.rename',
          result: 'ok',
          tenant: Buffer.from(tenant),
          relyingParty: Buffer.from(relyingParty),
          seq: Between(first, last),
        },
        order: { seq: 'DESC' },
        take: RENAMINGS,
      });
      yield* slice;
      if (slice.length < RENAMINGS) return;
      last = (slice.at(-1)?.seq ?? 0) - 1;
    }
  }

  /**
   * Erases the rows that name a user. Records the new content of the rows; an altered row is therefore not
   * erased, since the alteration could not be detected afterwards.
   *
   * In a process one erasure follows another, since each reads the whole trail and two at a time would undo each
   * other's work. Tenants take turns.
   *
   * @returns the number of erased rows, without those that were erased before
   * @throws ApiError E0052R if a row was altered; no row of its part is erased then
   */
  async erase(user: ErasedUser, by: ErasureAuthor): Promise<number> {
    if (this.isErasing) await new Promise<void>((start) => this.waiting.add(user.tenant, start));
    this.isErasing = true;
    try {
      return await this.eraseParts(user, by);
    } finally {
      const start = this.waiting.take();
      if (start) start();
      else this.isErasing = false;
    }
  }

  private async eraseParts(user: ErasedUser, by: ErasureAuthor): Promise<number> {
    let erased = 0;
    for (;;) {
      const rows = await this.erasePart(user, by);
      erased += rows;
      if (rows < ROWS_PER_UNIT) return erased;
    }
  }

  /**
   * Erases up to `ROWS_PER_UNIT` rows.
   *
   * @returns the number of erased rows; if it is smaller, none is left
   */
  private async erasePart(user: ErasedUser, by: ErasureAuthor): Promise<number> {
    // Half of the event loop is left to others. An erasure is completed even if the caller has disconnected.
    const turn = readTurnOf({ caller: by.account, hasLeft: () => false });
    let suspicions = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const trail = new TrailCheck();
      const part = new ErasurePart(user, ROWS_PER_UNIT);
      for await (const row of auditRowsAfter(this.database, 0, turn)) {
        trail.add(row);
        part.add(row);
      }
      const altered = part.before.find((row) => trail.isAltered(row));
      if (altered) {
        suspicions += 1;
        if (suspicions >= MIN_SUSPICIONS) throw refusal(altered.seq);
        continue;
      }
      suspicions = 0;
      if (part.before.length === 0) return 0;
      if (await this.carryOut(part, trail.last, by)) return part.before.length;
    }
    throw new Error('The audit trail was written to all the time: erase the user once more.');
  }

  /**
   * Stores an erasure after the rows that others have appended meanwhile.
   *
   * @param last the last row of the trail that was read; `undefined` in an empty one
   * @returns `false` if one of those rows concerns the user, or another erasure was faster
   */
  private async carryOut(
    part: ErasurePart,
    last: ChainHead | undefined,
    by: ErasureAuthor,
  ): Promise<boolean> {
    let readUpTo = last?.seq ?? 0;
    for (let attempt = 0; attempt < STORING_ATTEMPTS; attempt += 1) {
      const head = await this.head.read();
      if (last?.seq === head.seq && !last.hash.equals(head.hash)) throw refusal(last.seq);
      for await (const row of auditRowsAfter(this.database, readUpTo)) {
        // Another erasure since: it may have taken rows from the same earlier ones.
        if (row.action === ERASURE_ACTION || mentionsUser(row, part.user)) return false;
        readUpTo = row.seq;
      }
      if (await this.storeAfter(head, part, by)) return true;
    }
    return false;
  }

  /** @returns `false` if another row was appended after the head, or another erasure took one of the rows */
  private storeAfter(head: ChainHead, part: ErasurePart, by: ErasureAuthor): Promise<boolean> {
    const { user, before, after } = part;
    const content = new ErasedContent();
    for (const row of after) content.add(row);
    const entry: AuditEntry = {
      ...by,
      action: ERASURE_ACTION,
      target: user.pseudonym,
      result: 'ok',
      tenant: user.tenant,
      relyingParty: user.relyingParty,
      detail: erasureDetail(after.length, content, part.changedDigests()),
    };
    const record = seal(entry, head, this.clock.now());
    const steps = after.map((row) => ERASE_ROW.step({ ...row, erasedBy: record.seq }));
    return this.trail.insert(record, this.head.advance(head, record), [
      ...asRead(before),
      ...steps,
    ]);
  }
}

function refusal(row: number): ApiError {
  Logger.error(`No row was erased: row ${row} of the audit trail was altered.`, 'Audit');
  return new ApiError('E0052R', 'audit.altered', { row });
}

/** Conditions: no row was erased for another user since it was read. Rows with the same `erasedBy` share one. */
const asRead = (before: readonly AuditRow[]): Step[] =>
  [...Map.groupBy(before, ({ erasedBy }) => erasedBy ?? 0)].map(([erasedBy, rows]) => {
    const seqs = rows.map(({ seq }) => seq);
    return LOCK_ERASED_BY.mustChange({ seqs, erasedBy }, seqs.length);
  });
