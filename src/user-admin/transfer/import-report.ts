import type { ImportDecision } from '../../users/transfer/import-plan.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { sentenceOf } from '../../platform/errors/reasons.js';
import type { RecordRefusal } from './checks/checked-user.js';
import type { Batch, BatchUser, RefusedRecord } from './import-batches.js';
import type { FormatName } from './formats/transfer-formats.js';
import { noTally } from './import.entity.js';
import type { ImportRefusal, ImportTally } from './transfer.answer.js';

/** The maximum number of refusals in an answer; all of them are counted. */
const MAX_SHOWN = 100;
/** The number of characters of the user name in a refusal; the name may be any text. */
const SHOWN = 60;

type ShownRefusal = Pick<RecordRefusal, 'credentialId'> & {
  readonly error: Pick<RecordRefusal['error'], 'code' | 'problem'>;
};

/** The progress of an import: its figures, and its first refusals. */
export class ImportReport {
  tally: ImportTally = noTally();
  readonly refusals: ImportRefusal[] = [];

  /** Returns a copy that includes one more batch; `take` copies it back into this report once the batch is stored. */
  with(batch: Batch, decisions: readonly ImportDecision[]): ImportReport {
    const next = new ImportReport();
    next.take(structuredClone({ tally: this.tally, refusals: this.refusals }));
    next.add(batch, decisions);
    return next;
  }

  take({ tally, refusals }: Pick<ImportReport, 'tally' | 'refusals'>): void {
    this.tally = tally;
    this.refusals.splice(0, this.refusals.length, ...refusals);
  }

  /** @param decisions one for each user of the batch */
  add(batch: Batch, decisions: readonly ImportDecision[]): void {
    this.tally.records += batch.records;
    for (const record of batch.refused) this.refuseRecord(record);
    batch.users.forEach((user, n) => this.settle(user, decisions[n] as ImportDecision));
    this.refusals.sort((a, b) => a.line - b.line);
  }

  /** The figures for the audit row of the import. */
  auditDetail(order: { format: FormatName; assumeVerified: boolean }): AuditDetail {
    const { records, users, keys } = this.tally;
    return {
      format: order.format,
      ...(order.assumeVerified && { assumeVerified: true }),
      records,
      users: users.created,
      keys: keys.created,
      refused: users.refused + keys.refused,
    };
  }

  private refuseRecord(record: RefusedRecord): void {
    this.tally.users.refused += 1;
    this.tally.keys.refused += record.keys;
    this.show(record.line, record.username, record);
  }

  private settle({ line, user, refusals }: BatchUser, decision: ImportDecision): void {
    const { users, keys } = this.tally;
    const { username } = user;
    users[decision.user === 'without-keys' ? 'withoutKeys' : decision.user] += 1;
    keys.present += decision.keysPresent;
    keys.created += decision.addition?.keys.length ?? 0;
    keys.refused += refusals.length;
    keys.refused += decision.user === 'refused' ? user.keys.length : decision.conflicts.length;
    for (const refusal of refusals) this.show(line, username, refusal);
    for (const conflict of decision.conflicts) {
      this.show(line, username, { ...conflict, error: conflict });
    }
  }

  private show(
    line: number,
    username: string | undefined,
    { error, credentialId }: ShownRefusal,
  ): void {
    if (this.refusals.length >= MAX_SHOWN) return;
    this.refusals.push({
      line,
      ...(username !== undefined && { username: username.slice(0, SHOWN).toWellFormed() }),
      ...(credentialId && { credentialId: credentialId.toString('base64url').slice(0, 100) }),
      errorCode: error.code,
      errorMessage: sentenceOf(error.problem),
      reason: error.problem.reason,
    });
  }
}
