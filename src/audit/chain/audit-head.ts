import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { SharedRecords, replaceRecord } from '../../platform/database/shared-records.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { AuditKey } from './audit-key.js';
import { GENESIS } from './chain.js';
import type { Head } from './chain.js';
import { HEAD, faultOfSeal, recordOf, recordText } from './head-record.js';
import type { HeadRecord } from './head-record.js';

/** Keeps the record of the newest row, so that all instances append at one place. */
@Injectable()
export class AuditHead {
  constructor(
    private readonly records: SharedRecords,
    @Optional() @Inject(AuditKey) readonly key: AuditKey | null,
  ) {}

  /** The stored record, whichever key sealed it; a new database gets one that names no row. */
  async record(): Promise<HeadRecord> {
    return recordOf(await this.records.findOrCreate(HEAD, () => recordText(GENESIS, null)));
  }

  /**
   * The last row, behind which the next one is appended.
   *
   * @throws ApiError E0052R where it is sealed with a key that this process does not have, or is not sealed
   *   with the one that it has
   */
  async read(): Promise<Head> {
    const record = await this.record();
    const fault = faultOfSeal(record, this.key);
    if (fault === undefined) return record.head;
    Logger.error(`No row can be written: ${fault}.`, 'Audit');
    throw new ApiError('E0052R', 'audit.stopped');
  }

  /**
   * The step that moves the record by compare-and-set: nothing of its unit is stored where others moved it.
   */
  move(from: Head, to: Head): Step {
    return moveRecord(recordText(from, this.key), recordText(to, this.key));
  }
}

export const moveRecord = (from: string, to: string): Step => replaceRecord(HEAD, from, to);
