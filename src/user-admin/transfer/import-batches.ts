import { ApiError } from '../../platform/errors/api-error.js';
import type { CheckedUser, RecordRefusal } from './checks/checked-user.js';
import type { SourceRecord, SourceUser } from './formats/source.js';

/** A user with a valid record, and the line of that record. */
export type BatchUser = CheckedUser & { readonly line: number };

export interface RefusedRecord extends RecordRefusal {
  readonly line: number;
  readonly username?: string;
  /** The number of keys that are refused with it. */
  readonly keys: number;
}

/** A sign-in waits for the current transaction, so a batch is small. */
const MAX_RECORDS = 100;
const MAX_KEYS = 200;

/**
 * Checks records one by one, and groups them into batches.
 *
 * @param check throws an ApiError for a record that is refused as a whole
 */
export async function* batchesOf(
  records: AsyncIterable<SourceRecord>,
  check: (user: SourceUser) => Promise<CheckedUser>,
): AsyncGenerator<Batch> {
  let batch = new Batch();
  for await (const record of records) {
    await batch.add(record, check);
    if (batch.isFull) {
      yield batch;
      batch = new Batch();
    }
  }
  if (batch.records > 0) yield batch;
}

/** Records that are stored together. */
export class Batch {
  records = 0;
  readonly users: BatchUser[] = [];
  readonly refused: RefusedRecord[] = [];
  private keys = 0;

  get isFull(): boolean {
    return this.records >= MAX_RECORDS || this.keys >= MAX_KEYS;
  }

  async add(record: SourceRecord, check: (user: SourceUser) => Promise<CheckedUser>) {
    const { line } = record;
    this.records += 1;
    if ('fault' in record) {
      this.refused.push({ line, error: record.fault, keys: 0 });
      return;
    }
    const { username, keys } = record.user;
    this.keys += keys.length;
    try {
      this.users.push({ line, ...(await check(record.user)) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const named = typeof username === 'string' ? { username } : {};
      this.refused.push({ line, error, keys: keys.length, ...named });
    }
  }
}
