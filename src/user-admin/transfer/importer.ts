import { Inject, Injectable } from '@nestjs/common';
import type { AuditFacts } from '../../audit/request-rows.js';
import type { AuditedCall, ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { falseIfTaken, isOrphan } from '../../platform/database/commit/unique-violation.js';
import type { Unit } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import {
  additionsOf,
  decideImport,
  readSnapshot,
  type ImportDecision,
  type UserToImport,
} from '../../users/transfer/import-plan.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { importSteps } from '../../users/transfer/import-steps.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { checkedUser, type CheckedUser } from './checks/checked-user.js';
import type { SourceUser } from './formats/source.js';
import { FORMATS, type FormatName } from './formats/transfer-formats.js';
import { ImportProgress } from './import-progress.js';
import { ImportPart, ImportReport, partsOf } from './import-report.js';

interface ImportOrder {
  readonly rp: RelyingParty;
  readonly format: FormatName;
  readonly dryRun: boolean;
  /** Whether keys count as user-verified if the file does not say so. */
  readonly assumeVerified: boolean;
  /** Stores each part, and the end of the import, with its audit row. */
  readonly call: ChangingCall & Pick<AuditedCall, 'requestId'>;
  /** Called after each part. */
  readonly progress?: (report: ImportReport) => void;
}

interface ImportRun {
  /** The ID of the run in the stored progress. */
  readonly run: Buffer;
  readonly report: ImportReport;
  readonly isLast: boolean;
}

/**
 * Imports users with their keys, in parts while the file arrives. It overwrites nothing, and an interrupted
 * run is simply started again: it finds what is already stored. Each part is stored in one unit with its
 * events, the run's progress and its audit row.
 */
@Injectable()
export class Importer {
  constructor(
    private readonly progress: ImportProgress,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly linked: LinkedUsers,
    private readonly models: AuthenticatorModels,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * @param report is updated during the import
   * @throws ApiError E0025R if the relying party is removed; E0045R for a file of another format or relying party;
   *   the database's error. Data stored before that remains
   */
  async run(file: AsyncIterable<Buffer>, order: ImportOrder, report: ImportReport): Promise<void> {
    const { rp, format, dryRun, call } = order;
    const records = FORMATS[format](file, rp.domain);
    const parts = partsOf(records, (user) => this.check(user, order));
    if (dryRun) {
      for await (const part of parts) report.add(part, await this.decisions(part, order));
      return;
    }
    const run = await this.progress.begin(rp, call.account.name, format);
    // The next part is read and checked while this one is stored.
    let storing = Promise.resolve();
    let read: ImportPart | undefined;
    try {
      for await (const part of parts) {
        await storing;
        if (read) storing = this.apply(read, order, { run, report, isLast: false });
        read = part;
        // The error is not lost: the loop awaits `storing` one part later.
        storing.catch(() => undefined);
      }
      await storing;
      const last = read ?? new ImportPart();
      read = undefined;
      await this.apply(last, order, { run, report, isLast: true });
    } catch (error) {
      // What was read before a fault in the file is stored.
      await storing
        .then(() => read && this.apply(read, order, { run, report, isLast: false }))
        .catch(() => undefined);
      // If the database cannot be reached, the run stays `running` and counts as dead after a minute.
      const stopped = this.progress.ending(rp, run, { state: 'stopped', tally: report.tally });
      await this.database.store([stopped]).catch(() => null);
      throw error;
    }
  }

  private check(user: SourceUser, order: ImportOrder): Promise<CheckedUser> {
    const { rp, format, assumeVerified } = order;
    return checkedUser(user, {
      format,
      domain: rp.domain,
      assumeVerified,
      now: this.clock.now(),
      rs1: this.options.conformance,
      models: this.models,
    });
  }

  private async decisions(
    part: ImportPart,
    { rp, format }: ImportOrder,
  ): Promise<ImportDecision[]> {
    const users = part.users.map(({ user }) => user);
    const isExpected = await this.linked.expected(
      rp,
      users.map(({ username }) => username),
    );
    const snapshot = await readSnapshot(this.database, rp, users, isExpected);
    // Of other servers' users, only those with a key are imported.
    const needsKey = format !== 'servicefido';
    return users.map((user) => decideImport(user, snapshot, needsKey));
  }

  /** Stores a part; the last one with the end of the import, whose audit row has the figures of all. */
  private async apply(
    part: ImportPart,
    order: ImportOrder,
    { run, report, isLast }: ImportRun,
  ): Promise<void> {
    const { rp, call } = order;
    await untilStored('import.contended', async () => {
      const decisions = await this.decisions(part, order);
      const next = report.with(part, decisions);
      const additions = additionsOf(decisions);
      const unit = [
        this.progress.step(rp, run, next.tally),
        ...(isLast
          ? [
              this.progress.ending(rp, run, {
                state: next.isComplete ? 'done' : 'stopped',
                tally: next.tally,
              }),
            ]
          : []),
        ...importSteps(
          { kind: this.database.kind, rp, at: this.clock.now(), requestId: call.requestId },
          additions,
        ),
      ];
      const facts = isLast ? { detail: next.auditDetail(order) } : factsOfPart(additions);
      if (await this.isStored(unit, call, facts)) {
        report.take(next);
        order.progress?.(report);
        return true;
      }
      if (!(await this.progress.isOpen(rp))) throw new ApiError('E0025R', 'import.removed');
      if (!(await this.progress.isLast(rp, run))) {
        throw new ApiError('E0045R', 'import.underWay');
      }
      return OVERTAKEN;
    });
  }

  /** `false` if a condition fails the unit, or a key was registered or a user deleted in between. */
  private async isStored(
    unit: Unit,
    { commit }: ChangingCall,
    facts: AuditFacts | undefined,
  ): Promise<boolean> {
    const options = { background: true };
    try {
      return await (facts
        ? commit(unit, facts, options)
        : falseIfTaken(this.database.commit(unit, options)));
    } catch (error) {
      if (isOrphan(error)) return false;
      throw error;
    }
  }
}

/** The members of the audit row of a part that others follow; `undefined` if it adds nothing. */
function factsOfPart(additions: readonly UserToImport[]): AuditFacts | undefined {
  if (additions.length === 0) return undefined;
  const users = additions.filter(({ known }) => known.isNew).length;
  const keys = additions.reduce((sum, one) => sum + one.keys.length, 0);
  return { action: 'users.import.part', detail: { users, keys } };
}
