import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { isSilent } from '../../platform/database/jobs/abandoned-rows.js';
import { newId } from '../../platform/database/row-ids.js';
import { deleteStep, insertStep, updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ImportEntity, noTally } from './import.entity.js';
import type { ImportState, ImportTally } from './transfer.answer.js';
import { ADVANCE_IMPORT } from './import.statements.js';

/** Stores the progress of the last import of each relying party, so that every instance can report it. */
@Injectable()
export class ImportProgress {
  constructor(
    @InjectRepository(ImportEntity) private readonly imports: Repository<ImportEntity>,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins a run, which replaces a current one: that one stops at its next part.
   *
   * @returns the ID of the run
   */
  async begin(rp: RelyingParty, account: string, source: string): Promise<Buffer> {
    const run = newId();
    const at = this.clock.now();
    const row = { run, account, source, state: 'running' as const, tally: noTally() };
    await this.database.store([
      deleteStep(this.imports, scope(rp)),
      insertStep(this.imports, { ...scope(rp), ...row, beganAt: at, changedAt: at }),
    ]);
    return run;
  }

  /** The first step of each part's unit. It fails the whole unit once another run has begun. */
  step(rp: RelyingParty, run: Buffer, tally: ImportTally): Step {
    const progress = { run, tally: JSON.stringify(tally), now: this.clock.now() };
    return ADVANCE_IMPORT.mustChange({ ...scope(rp), ...progress });
  }

  async isLast(rp: RelyingParty, run: Buffer): Promise<boolean> {
    const found = await this.imports.findOne({ select: { run: true }, where: scope(rp) });
    return found?.run.equals(run) ?? false;
  }

  /** The step that ends a run. */
  ending(rp: RelyingParty, run: Buffer, end: { state: ImportState; tally: ImportTally }): Step {
    const changes = { ...end, changedAt: this.clock.now() };
    return updateStep(this.imports, { ...scope(rp), run }, changes);
  }

  /** Whether the relying party has not been removed. */
  isOpen({ id }: RelyingParty): Promise<boolean> {
    const rows = this.imports.manager.getRepository(RelyingPartyEntity);
    return rows.existsBy({ id, closedAt: 0 });
  }

  /** The last run, `stopped` if its instance counts as dead; `undefined` if there was none. */
  async last(rp: RelyingParty): Promise<ImportEntity | undefined> {
    const found = await this.imports.findOneBy(scope(rp));
    if (!found) return undefined;
    const isDead = found.state === 'running' && isSilent(found.changedAt, this.clock.now());
    return isDead ? { ...found, state: 'stopped' } : found;
  }
}
