import { statSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { VERSION, projectPath } from '../../config/project.js';
import { serverOptions } from '../../config/server-config.js';
import { Database } from '../../database/database.js';
import { serverFacts } from '../../database/server-facts.js';
import { DatabaseFindings } from '../../health/setup/database-findings.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { durationOf } from './duration.js';
import type { Fact, OperatorView } from './status.view.js';

const MIB = 1024 * 1024;
/** As products call themselves; MariaDB says its name in its version, MySQL does not. */
const PRODUCTS = { sqlite: 'SQLite', mysql: 'MySQL' } as const;

/** What the page of the status tells those who may know how the server is set up. */
@Injectable()
export class OperatorStatus {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly database: Database,
    private readonly ofDatabase: DatabaseFindings,
    private readonly setup: SetupFindings,
    private readonly metadata: MetadataReport,
  ) {}

  async view(): Promise<OperatorView> {
    const [findings, database, backup] = await Promise.all([
      this.setup.all(),
      this.productOfDatabase(),
      this.backup(),
    ]);
    return {
      findings,
      facts: [...this.ofProcess(), database, this.ofSessions(), backup],
      sources: this.metadata.sources(),
    };
  }

  private ofProcess(): Fact[] {
    const { version, platform, arch, pid } = process;
    const { workers } = this.options;
    const memory = `${Math.round(process.memoryUsage.rss() / MIB)} MiB of memory`;
    const several = workers > 1 ? `, one of ${workers} workers` : '';
    return [
      { name: 'ServiceFido', value: VERSION },
      { name: 'Built', value: builtAt === undefined ? 'runs from its sources' : '', at: builtAt },
      { name: 'Node.js', value: `${version} on ${platform} (${arch})` },
      { name: 'Up for', value: durationOf(process.uptime()) },
      { name: 'Process', value: `${pid}${several}, ${memory}` },
    ];
  }

  private async productOfDatabase(): Promise<Fact> {
    const name = 'Database';
    try {
      const { version } = await serverFacts(this.database);
      return { name, value: version.includes('MariaDB') ? version : this.product(version) };
    } catch {
      return { name, value: 'does not answer' };
    }
  }

  private product(version: string): string {
    return `${PRODUCTS[this.database.kind]} ${version}`;
  }

  /** Without the address, which may hold a password. */
  private ofSessions(): Fact {
    const inMemory = this.options.sessions.startsWith('memory:');
    const value = inMemory ? 'in the memory of this process' : 'in Redis, for all instances';
    return { name: 'Ceremonies under way', value };
  }

  private async backup(): Promise<Fact> {
    const made = await this.ofDatabase.lastBackup().catch(() => undefined);
    const name = 'Last backup';
    if (made === null) return { name, value: 'not known: programs of the database make them' };
    if (made === undefined) return { name, value: 'none yet' };
    return { name, value: '', at: new Date(made).toISOString() };
  }
}

const builtAt = fileTime(projectPath('dist/main.js'));

function fileTime(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtime.toISOString();
}
