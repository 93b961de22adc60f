import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { isOrphan, isUniqueViolation } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import {
  decideImport,
  readSnapshot,
  type ImportDecision,
} from '../../users/transfer/import-plan.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { importSteps } from '../../users/transfer/import-steps.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UserChecks } from './checks/checked-user.js';
import { FORMATS, type FormatName } from './formats/transfer-formats.js';
import { ImportProgress } from './import-progress.js';
import { ImportReport, batchesOf, type Batch } from './import-report.js';

interface ImportOrder {
  readonly rp: RelyingParty;
  readonly format: FormatName;
  readonly dryRun: boolean;
  /** Whether keys count as user-verified if the file does not say so. */
  readonly assumeVerified: boolean;
  readonly account: string;
  readonly requestId: string;
  /** Called after each batch. */
  readonly progress?: (report: ImportReport) => void;
}

/** Attempts to store a batch whose users are changed at the same time. */
const TRIES = 4;

/**
 * Imports users with their keys, in batches while the file arrives. It overwrites nothing, and an interrupted
 * run is simply started again: it finds what is already stored. Each batch is stored in one unit with its
 * events and the run's progress.
 */
@Injectable()
export class Importer {
  constructor(
    private readonly checks: UserChecks,
    private readonly progress: ImportProgress,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly linked: LinkedUsers,
  ) {}

  /**
   * @param report is updated during the import
   * @throws ApiError E0045R for a file of another format or relying party; the database's error. Data stored
   *   before that remains
   */
  async run(file: AsyncIterable<Buffer>, order: ImportOrder, report: ImportReport): Promise<void> {
    const { rp, format, dryRun, assumeVerified } = order;
    const records = FORMATS[format](file, rp.domain);
    const batches = batchesOf(records, (user) =>
      this.checks.check(user, { format, domain: rp.domain, assumeVerified }),
    );
    if (dryRun) {
      for await (const batch of batches) report.add(batch, await this.decisions(batch, order));
      return;
    }
    const run = await this.progress.begin(rp, order.account, format);
    // The next batch is read and checked while this one is stored.
    let storing = Promise.resolve();
    try {
      for await (const batch of batches) {
        await storing;
        storing = this.apply(batch, order, run, report);
        // The error is not lost: the loop awaits `storing` one batch later.
        storing.catch(() => undefined);
      }
      await storing;
    } catch (error) {
      await storing.catch(() => undefined);
      // If the database cannot be reached, the run stays `running` and counts as dead after a minute.
      await this.progress.end(rp, run, { state: 'stopped', tally: report.tally }).catch(() => null);
      throw error;
    }
    await this.progress.end(rp, run, { state: 'done', tally: report.tally });
  }

  private async decisions(batch: Batch, { rp, format }: ImportOrder): Promise<ImportDecision[]> {
    const users = batch.users.map(({ user }) => user);
    const isExpected = await this.linked.expected(
      rp,
      users.map(({ username }) => username),
    );
    const snapshot = await readSnapshot(this.database, rp, users, isExpected);
    // Of other servers' users, only those with a key are imported.
    const needsKey = format !== 'servicefido';
    return users.map((user) => decideImport(user, snapshot, needsKey));
  }

  private async apply(
    batch: Batch,
    order: ImportOrder,
    run: Buffer,
    report: ImportReport,
  ): Promise<void> {
    const { rp, requestId } = order;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const decisions = await this.decisions(batch, order);
      const next = report.with(batch, decisions);
      const additions = decisions.flatMap(({ addition }) => (addition ? [addition] : []));
      const unit = [
        this.progress.step(rp, run, next.tally),
        ...importSteps(
          { kind: this.database.kind, rp, at: this.clock.now(), requestId },
          additions,
        ),
      ];
      if (await this.isStored(unit)) {
        report.take(next);
        order.progress?.(report);
        return;
      }
      if (!(await this.progress.isLast(rp, run))) {
        throw new ApiError('E0045R', 'import.underWay');
      }
    }
    throw new ApiError('E0052R', 'import.contended');
  }

  /** `false` if a condition fails the unit, or a key was registered or a user deleted in between. */
  private async isStored(unit: Parameters<Database['commit']>[0]): Promise<boolean> {
    try {
      return await this.database.commit(unit, { background: true });
    } catch (error) {
      if (isUniqueViolation(error) || isOrphan(error)) return false;
      throw error;
    }
  }
}
