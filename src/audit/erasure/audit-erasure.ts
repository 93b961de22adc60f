import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Clock } from '../../common/clock.js';
import type { Step } from '../../database/commit/unit.js';
import { Database } from '../../database/database.js';
import { AuditHead } from '../audit-head.js';
import { AuditLog } from '../audit-log.js';
import type { AuditEntry, AuditRow } from '../audit-row.js';
import { AuditEntity } from '../audit.entity.js';
import { ERASE_ROW, ERASE_ROW_AGAIN, ROWS_BEHIND } from '../audit.statements.js';
import { seal } from '../chain.js';
import { ERASURE, ErasedContent, erasureDetail } from './erased-row.js';
import { mentions, withoutPerson } from './person-in-row.js';
import type { ErasedPerson, Renamed } from './person-in-row.js';

/** Rows of one unit at most, so that a transaction stays short. */
const MAX_ROWS = 200;
const PAGE = 1000;
/** Attempts to erase a batch. Where another instance appends first, all rows are read again. */
const ATTEMPTS = 20;

/** Who asked for an erasure, as its row records it. */
export type Eraser = Pick<AuditEntry, 'account' | 'role' | 'address' | 'requestId'>;

/** Rows to be erased, before and after, and what their erasure changes in earlier ones. */
interface Plan {
  readonly before: readonly AuditRow[];
  readonly after: readonly AuditRow[];
  /** New digests of earlier erasures that lose rows to this one, by the number of their row. */
  readonly changed: ReadonlyMap<number, string>;
}

/**
 * Puts a pseudonym in the place of a person in the trail, which stays provable. The hashes that link the rows
 * stay, the salts that they were made with are deleted, and a new row of the chain says how many rows were
 * erased, and the digest of what they say now. An erasure without such a row is found like any other change.
 */
@Injectable()
export class AuditErasure {
  constructor(
    private readonly database: Database,
    private readonly head: AuditHead,
    private readonly log: AuditLog,
    private readonly clock: Clock,
    @InjectRepository(AuditEntity) private readonly rows: Repository<AuditEntity>,
  ) {}

  /**
   * Names that the person had before, each with the row of the renaming that ended it.
   *
   * @param name in NFC
   */
  async formerNames(relyingParty: string, name: string): Promise<ReadonlyMap<string, Renamed>> {
    const renamed = await this.rows.find({
      select: { seq: true, at: true, target: true, detail: true },
      where: {
        action: 'user.rename',
        result: 'ok',
        relyingParty: Buffer.from(relyingParty),
      },
      order: { seq: 'DESC' },
    });
    const until = new Map([[name, { seq: Number.MAX_SAFE_INTEGER, at: 0 }]]);
    for (const { seq, at, target, detail } of renamed) {
      const { name: became } = JSON.parse(detail) as { name?: string };
      const was = target?.toString('utf8').normalize('NFC');
      const known = became === undefined ? undefined : until.get(became);
      if (was === undefined || known === undefined || seq > known.seq || until.has(was)) continue;
      until.set(was, { seq, at });
    }
    until.delete(name);
    return until;
  }

  /** @returns how many rows were erased, without those that were erased before */
  async erase(person: ErasedPerson, by: Eraser): Promise<number> {
    let erased = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const plan = await this.plan(person);
      if (plan.before.length === 0) return erased;
      if (!(await this.carryOut(plan, person, by))) continue;
      erased += plan.before.length;
      attempt = -1;
    }
    throw new Error('The audit trail was written to all the time: erase the person once more.');
  }

  private async plan(person: ErasedPerson): Promise<Plan> {
    const [before, after]: [AuditRow[], AuditRow[]] = [[], []];
    const rest = new Map<number, ErasedContent>();
    const robbed = new Set<number>();
    for await (const row of this.all()) {
      const { erased_by: eraser } = row;
      if (before.length < MAX_ROWS && mentions(row, person)) {
        before.push(row);
        after.push(withoutPerson(row, person));
        if (eraser !== null) robbed.add(eraser);
      } else if (eraser !== null) {
        rest.set(eraser, (rest.get(eraser) ?? new ErasedContent()).add(row));
      }
    }
    const digest = (eraser: number) => (rest.get(eraser) ?? new ErasedContent()).digest();
    return { before, after, changed: new Map([...robbed].map((n) => [n, digest(n)])) };
  }

  private async carryOut(plan: Plan, person: ErasedPerson, by: Eraser): Promise<boolean> {
    const head = await this.head.read();
    const content = new ErasedContent();
    for (const row of plan.after) content.add(row);
    const entry: AuditEntry = {
      ...by,
      action: ERASURE,
      target: person.pseudonym,
      result: 'ok',
      tenant: person.tenant,
      relyingParty: person.relyingParty,
      detail: erasureDetail(plan.after.length, content, plan.changed),
    };
    const told = seal(entry, head, this.clock.now());
    const steps = plan.after.map((row, n) => erasureStep(row, plan.before[n]?.erased_by, told.seq));
    return this.log.insert([told], this.head.move(head, told), steps);
  }

  /** All rows, page by page; others have their turn in between. */
  private async *all(): AsyncGenerator<AuditRow> {
    const query = this.database.query<AuditRow>(ROWS_BEHIND);
    for (let after = 0; ;) {
      const page = await query.all(after, PAGE);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.seq ?? after;
      await nextTurn();
    }
  }
}

function erasureStep(row: AuditRow, before: number | null | undefined, told: number): Step {
  const params = [row.address, row.target, row.detail, told, row.seq];
  return before === null || before === undefined
    ? { sql: ERASE_ROW, params, guard: true }
    : { sql: ERASE_ROW_AGAIN, params: [...params, before], guard: true };
}
