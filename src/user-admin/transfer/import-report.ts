import type { ImportDecision } from '../../users/transfer/import-plan.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { sentenceOf } from '../../platform/errors/reasons.js';
import type { CheckedUser, RecordRefusal } from './checks/checked-user.js';
import type { SourceRecord, SourceUser } from './formats/source.js';
import type { FormatName } from './formats/transfer-formats.js';
import { noTally } from './import.entity.js';
import type { ImportRefusal, ImportTally } from './transfer.answer.js';

/** A user with a valid record, and the line of that record. */
type RecordUser = CheckedUser & { readonly line: number };

interface RefusedRecord extends RecordRefusal {
  readonly line: number;
  readonly username?: string;
  /** The number of keys that are refused with it. */
  readonly keys: number;
  /** See `SourceRecord`. */
  readonly isOfFile?: boolean;
}

/** A sign-in waits for the current transaction, so a part is small. */
const MAX_RECORDS = 100;
const MAX_KEYS = 200;

/**
 * Checks records one by one, and groups them into parts.
 *
 * @param check throws an ApiError for a record that is refused as a whole
 */
export async function* partsOf(
  records: AsyncIterable<SourceRecord>,
  check: (user: SourceUser) => Promise<CheckedUser>,
): AsyncGenerator<ImportPart> {
  let part = new ImportPart();
  for await (const record of records) {
    await part.add(record, check);
    if (part.isFull) {
      yield part;
      part = new ImportPart();
    }
  }
  if (part.records > 0) yield part;
}

/** Records that are stored together. */
export class ImportPart {
  records = 0;
  readonly users: RecordUser[] = [];
  readonly refused: RefusedRecord[] = [];
  /** See `SourceUser`. */
  secondFactors = 0;
  private keys = 0;

  get isFull(): boolean {
    return this.records >= MAX_RECORDS || this.keys >= MAX_KEYS;
  }

  async add(record: SourceRecord, check: (user: SourceUser) => Promise<CheckedUser>) {
    const { line } = record;
    this.records += 1;
    if ('fault' in record) {
      const { fault: error, isOfFile = false } = record;
      this.refused.push({ line, error, keys: 0, isOfFile });
      return;
    }
    const { username, keys } = record.user;
    this.keys += keys.length;
    this.secondFactors += record.user.secondFactors ?? 0;
    try {
      this.users.push({ line, ...(await check(record.user)) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const named = typeof username === 'string' ? { username } : {};
      this.refused.push({ line, error, keys: keys.length, ...named });
    }
  }
}

/** The maximum number of records' refusals in an answer; all of them are counted. */
const MAX_SHOWN = 100;
/** The number of characters of the user name in a refusal; the name may be any text. */
const SHOWN = 60;

type ShownRefusal = Pick<RecordRefusal, 'credentialId'> & {
  readonly error: Pick<RecordRefusal['error'], 'code' | 'problem'>;
};

/** The progress of an import: its figures, its first refusals, and what is wrong with the file itself. */
export class ImportReport {
  tally: ImportTally = noTally();
  private ofRecords: readonly ImportRefusal[] = [];
  private ofFile: readonly ImportRefusal[] = [];

  /** Whether nothing shows that the file was cut off or changed; what was stored of such a file remains. */
  get isComplete(): boolean {
    return this.ofFile.length === 0;
  }

  /** By line. Those of the file are always shown: a file with many refused records may be cut off, too. */
  get refusals(): readonly ImportRefusal[] {
    return [...this.ofFile, ...this.ofRecords].sort((a, b) => a.line - b.line);
  }

  /** Returns a copy that includes one more part; `take` copies it back into this report once the part is stored. */
  with(part: ImportPart, decisions: readonly ImportDecision[]): ImportReport {
    const next = new ImportReport();
    next.take(this);
    next.tally = structuredClone(this.tally);
    next.add(part, decisions);
    return next;
  }

  take({ tally, ofRecords, ofFile }: ImportReport): void {
    this.tally = tally;
    this.ofRecords = ofRecords;
    this.ofFile = ofFile;
  }

  /** @param decisions one for each user of the part */
  add(part: ImportPart, decisions: readonly ImportDecision[]): void {
    this.tally.records += part.records;
    this.tally.keys.secondFactors += part.secondFactors;
    for (const record of part.refused) this.refuseRecord(record);
    part.users.forEach((user, n) => this.settle(user, decisions[n] as ImportDecision));
  }

  /** The figures for the audit row of the import. */
  auditDetail(order: { format: FormatName; assumeVerified: boolean }): AuditDetail {
    const { records, users, keys } = this.tally;
    return {
      format: order.format,
      ...(order.assumeVerified && { assumeVerified: true }),
      ...(!this.isComplete && { complete: false }),
      records,
      users: users.created,
      keys: keys.created,
      refused: users.refused + keys.refused,
    };
  }

  private refuseRecord(record: RefusedRecord): void {
    this.tally.users.refused += 1;
    this.tally.keys.refused += record.keys;
    if (record.isOfFile === true) {
      this.ofFile = [...this.ofFile, shownRefusal(record.line, undefined, record)];
    } else this.show(record.line, record.username, record);
  }

  private settle({ line, user, refusals }: RecordUser, decision: ImportDecision): void {
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

  private show(line: number, username: string | undefined, refusal: ShownRefusal): void {
    if (this.ofRecords.length >= MAX_SHOWN) return;
    this.ofRecords = [...this.ofRecords, shownRefusal(line, username, refusal)];
  }
}

const shownRefusal = (
  line: number,
  username: string | undefined,
  { error, credentialId }: ShownRefusal,
): ImportRefusal => ({
  line,
  ...(username !== undefined && { username: username.slice(0, SHOWN).toWellFormed() }),
  ...(credentialId && { credentialId: credentialId.toString('base64url').slice(0, 100) }),
  errorCode: error.code,
  errorMessage: sentenceOf(error.problem),
  reason: error.problem.reason,
});
