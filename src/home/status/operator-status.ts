import { statSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { PRODUCT_VERSION, projectPath } from '../../platform/project.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { serverFacts } from '../../platform/database/server-facts.js';
import { DatabaseFindings } from '../../health/setup/database-findings.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { phrase, type Phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';

/** A fact about the process, or about a system it depends on, in words. */
interface Fact {
  readonly name: Text;
  readonly value: Text;
  /** The time of the fact, ISO 8601. */
  readonly at?: string | undefined;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A duration in its two greatest units, for example `3 days 4 hours`. */
function durationOf(seconds: number): Phrase {
  let left = Math.floor(seconds);
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [phrase(`status:duration.${unit}`, { count })];
  });
  const [first, second] = parts;
  if (!first) return phrase('status:duration.moment');
  return second ? phrase('status:duration.two', { first, second }) : first;
}

const IN_MEMORY = 'status:facts.inMemory';
const IN_REDIS = 'status:facts.inRedis';
const MIB = 1024 * 1024;
/** Product names; MariaDB's is part of its version, MySQL's is not. */
const PRODUCTS = { sqlite: 'SQLite', mysql: 'MySQL' } as const;

/** Collects the part of the status page for accounts that may see the server's setup. */
@Injectable()
export class OperatorStatus {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly ofDatabase: DatabaseFindings,
    private readonly setup: SetupFindings,
    private readonly metadata: MetadataReport,
  ) {}

  async view() {
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
    const facts = { pid: `${pid}`, count: Math.round(process.memoryUsage.rss() / MIB) };
    const one =
      workers > 1
        ? phrase('status:facts.worker', { ...facts, workers })
        : phrase('status:facts.memory', facts);
    const fromSources = builtAt === undefined ? phrase('status:facts.fromSources') : '';
    return [
      { name: 'ServiceFido', value: PRODUCT_VERSION },
      { name: phrase('status:facts.built'), value: fromSources, at: builtAt },
      { name: 'Node.js', value: phrase('status:facts.on', { version, platform, arch }) },
      { name: phrase('status:facts.up'), value: durationOf(process.uptime()) },
      { name: phrase('status:facts.process'), value: one },
    ];
  }

  private async productOfDatabase(): Promise<Fact> {
    const name = phrase('status:facts.database');
    try {
      const { version } = await serverFacts(this.database);
      const product = version.includes('MariaDB') ? '' : `${PRODUCTS[this.database.kind]} `;
      return { name, value: `${product}${version}` };
    } catch {
      return { name, value: phrase('status:facts.silent') };
    }
  }

  /** The session store, without its address, which may contain a password. */
  private ofSessions(): Fact {
    const inMemory = this.options.sessions.startsWith('memory:');
    const value = phrase(inMemory ? IN_MEMORY : IN_REDIS);
    return { name: phrase('status:facts.ceremonies'), value };
  }

  private async backup(): Promise<Fact> {
    const made = await this.ofDatabase.lastBackup().catch(() => undefined);
    const name = phrase('status:facts.backup');
    if (made === null) return { name, value: phrase('status:facts.otherBackups') };
    if (made === undefined) return { name, value: phrase('status:facts.noBackup') };
    return { name, value: '', at: new Date(made).toISOString() };
  }
}

const builtAt = fileTime(projectPath('dist/main.js'));

function fileTime(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtime.toISOString();
}
