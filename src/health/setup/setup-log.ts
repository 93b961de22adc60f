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

  /** Starts the log of a server; commands have none. Of several workers, one logs (`workerEnvironment`). */
  async log(): Promise<void> {
    await this.runNow();
    this.start();
  }

  protected override async work(): Promise<void> {
    const found = await this.findings.all();
    if (isLogging()) this.write(found);
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

/** The variable by which the first process tells a worker whether it logs the setup. */
const ROLE = 'SETUP_LOG';

/** The environment of a new worker. The role belongs to no number: a replacement has another one. */
export const workerEnvironment = ({ logsSetup }: { readonly logsSetup: boolean }) => ({
  [ROLE]: logsSetup ? 'on' : 'off',
});

const isLogging = (): boolean => cluster.isPrimary || process.env[ROLE] === 'on';

function write({ title, text, mend, urgent }: SetupFinding): void {
  const line = [title, text, mend].map((sentence) => plainText('en', sentence)).join(' ');
  if (urgent) Logger.warn(line, 'Setup');
  else Logger.log(line, 'Setup');
}
