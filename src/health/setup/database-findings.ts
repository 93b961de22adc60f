import { Injectable } from '@nestjs/common';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { lastBackup, SharedRecords } from '../../platform/database/shared-records.js';
import { serverFacts } from '../../platform/database/server-facts.js';
import { urgentFinding, type SetupFinding } from './setup-finding.js';
import { backupFindings, clockFindings } from './state-findings.js';

/** Findings about the database: its clock, the seal of its audit trail, and the age of its last backup. */
@Injectable()
export class DatabaseFindings {
  constructor(
    private readonly database: Database,
    private readonly records: SharedRecords,
    private readonly clock: Clock,
    private readonly sealing: AuditSealing,
  ) {}

  /** @throws the driver's error if the database does not answer */
  async all(): Promise<SetupFinding[]> {
    const [facts, backup, unsealed] = await Promise.all([
      serverFacts(this.database),
      this.lastBackup(),
      this.sealing.isUnsealed(),
    ]);
    const now = this.clock.now();
    return [
      ...(unsealed ? [urgentFinding('no-seal')] : []),
      ...clockFindings(now, facts.now),
      ...backupFindings(now, backup),
    ];
  }

  /**
   * The time of the last backup, in milliseconds since 1970; `undefined` if there is none, `null` if other
   * programs make them.
   */
  async lastBackup(): Promise<number | undefined | null> {
    return this.database.kind === 'sqlite' ? lastBackup(this.records) : null;
  }
}
