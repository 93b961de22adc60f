import cluster from 'node:cluster';
import { Injectable, Logger } from '@nestjs/common';
import { HOUR_MS } from '../../platform/common/durations.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { DatabaseFindings } from './database-findings.js';
import { titleOf, type SetupFinding } from './setup-finding.js';
import { SetupFindings } from './setup-findings.js';
import { showBackup, showCertificate, showKeyFindings, showProblems } from './setup-metrics.js';

/** Logs findings about the server's setup: all of them at the start, and later new ones. Sets their metrics. */
@Injectable()
export class SetupLog extends RecurringJob {
  private logged: ReadonlySet<string> = new Set();

  constructor(
    private readonly findings: SetupFindings,
    private readonly databaseFindings: DatabaseFindings,
    private readonly keyFindings: KeyFindings,
  ) {
    super({ everyMs: HOUR_MS, retryMessage: 'The setup is looked at again in an hour' });
  }

  /** Starts the log of a server; commands have none. Of several workers only the first one logs. */
  async log(): Promise<void> {
    await this.runNow();
    this.start();
  }

  protected override async work(): Promise<void> {
    const found = await this.findings.all();
    if (isFirstWorker()) this.write(found);
    showProblems(found);
    showCertificate(this.findings.certificateOfStart());
    showBackup(await this.databaseFindings.lastBackup());
    showKeyFindings(await this.keyFindings.countSome());
  }

  private write(found: readonly SetupFinding[]): void {
    for (const finding of found) if (!this.logged.has(titleOf(finding))) write(finding);
    this.logged = new Set(found.map(titleOf));
  }
}

const isFirstWorker = (): boolean => cluster.worker === undefined || cluster.worker.id === 1;

function write({ title, text, mend, urgent }: SetupFinding): void {
  const line = [title, text, mend].map((sentence) => plainText('en', sentence)).join(' ');
  if (urgent) Logger.warn(line, 'Setup');
  else Logger.log(line, 'Setup');
}
