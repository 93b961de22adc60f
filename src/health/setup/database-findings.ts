import { Injectable } from '@nestjs/common';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { Clock } from '../../platform/common/clock.js';
import { OPERATOR_ACCOUNT } from '../../platform/access/accounts/account.js';
import { Database } from '../../platform/database/database.js';
import { serverFacts } from '../../platform/database/server-facts.js';
import { lastBackup, SharedRecords } from '../../platform/database/shared-records.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { urgentFinding, type SetupFinding } from './setup-finding.js';
import { backupFindings, clockFindings, webhookFindings } from './state-findings.js';

/** Findings about the database: its webhooks, its audit trail, its clock and its last backup. */
@Injectable()
export class DatabaseFindings {
  constructor(
    private readonly database: Database,
    private readonly records: SharedRecords,
    private readonly clock: Clock,
    private readonly sealing: AuditSealing,
    private readonly webhooks: WebhookRows,
  ) {}

  /** @throws the driver's error if the database does not answer */
  async all(): Promise<SetupFinding[]> {
    const now = this.clock.now();
    const [webhooks, unsealed, facts, backup] = await Promise.all([
      this.webhooks.list(OPERATOR_ACCOUNT),
      this.sealing.isUnsealed(),
      serverFacts(this.database),
      this.lastBackup(),
    ]);
    return [
      ...webhookFindings(webhooks),
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
