import cluster from 'node:cluster';
import { Injectable, Logger } from '@nestjs/common';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { titleOf, type SetupFinding } from './setup-finding.js';
import { SetupFindings } from './setup-findings.js';

/** Logs findings about the server's setup: all of them at the start, and later new ones. */
@Injectable()
export class SetupLog extends RecurringJob {
  private logged: ReadonlySet<string> = new Set();

  constructor(private readonly findings: SetupFindings) {
    super({ everyMs: HOUR_MS, retryMessage: 'The setup is looked at again in an hour' });
  }

  /** Starts the log of a server; commands have none. Of several workers only the first one logs. */
  async log(): Promise<void> {
    if (cluster.worker !== undefined && cluster.worker.id !== 1) return;
    await this.work();
    this.start();
  }

  protected override async work(): Promise<void> {
    const found = await this.findings.all();
    for (const finding of found) if (!this.logged.has(titleOf(finding))) write(finding);
    this.logged = new Set(found.map(titleOf));
  }
}

function write({ title, text, mend, urgent }: SetupFinding): void {
  const line = [title, text, mend].map((sentence) => plainText('en', sentence)).join(' ');
  if (urgent) Logger.warn(line, 'Setup');
  else Logger.log(line, 'Setup');
}
