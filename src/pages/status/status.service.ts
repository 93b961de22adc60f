import { statSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { PRODUCT_VERSION, projectPath } from '../../platform/project.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { serverFacts } from '../../platform/database/server-facts.js';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { warningOf } from '../../health/setup/setup-finding.js';
import { DatabaseFindings } from '../../health/setup/database-findings.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { phrase, type Phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { flagName } from '../../platform/config/server-options.js';

/** Options that are public, since the server's answers reveal them anyway. */
const SHOWN = ['verify', 'attestation', 'aaguid', 'jwt', 'registration', 'session'] as const;

const ON = phrase('status:settings.on');
const OFF = phrase('status:settings.off');

/** How much an option reads from others; off without a summary. */
function amountOf(
  unit: 'models' | 'keys' | 'lists',
  summary: { readonly entries: number; readonly stale: boolean } | undefined,
): Phrase {
  if (!summary) return OFF;
  const { entries, stale } = summary;
  if (unit === 'models' && entries === 0) return phrase('status:settings.none');
  const known = phrase(`status:settings.${unit}`, { count: entries });
  return stale ? phrase('status:settings.overdue', { known }) : known;
}

/** An option that changes the server's behaviour, and its value. */
const featureOf = (name: keyof ServerOptions, setting: Text) => ({
  option: `--${flagName(name)}`,
  setting,
  meaning: phrase(`status:options.${name}`),
});

function settingOf(value: boolean | number | string): Text {
  if (typeof value !== 'boolean') return String(value);
  return value ? ON : OFF;
}

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

const MIB = 1024 * 1024;
/** When the server was built; `undefined` if it runs from its sources. */
const builtAt = statSync(projectPath('dist/main.js'), {
  throwIfNoEntry: false,
})?.mtime.toISOString();
/** Product names; MariaDB's is part of its version, MySQL's is not. */
const PRODUCTS = { sqlite: 'SQLite', mysql: 'MySQL' } as const;

@Injectable()
export class StatusService {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly findings: SetupFindings,
    private readonly databaseFindings: DatabaseFindings,
    private readonly metadata: MetadataReport,
  ) {}

  /** The public part of the page: whether the parts answer, and nothing of the configuration. */
  async health() {
    const checks = await Promise.all([
      timed(phrase('status:checks.database'), () => this.database.ping()),
      timed(phrase('status:checks.sessions'), () => this.ceremonies.ping()),
    ]);
    return {
      title: phrase('status:title'),
      texts: 'status',
      nav: { status: true },
      scripts: ['/static/js/status.js'],
      healthy: checks.every(({ up }) => up),
      checks,
    };
  }

  /** The part of the page for every account: the products behind the checks, and the features. */
  forAccount([database, sessions]: Awaited<ReturnType<StatusService['health']>>['checks']) {
    const lists = this.metadata.revocations.summary();
    return {
      checks: [
        { ...database, kind: this.database.kind },
        { ...sessions, kind: this.inMemory ? 'memory' : 'redis' },
      ],
      warnings: this.findings.ofEverybody().map(warningOf),
      features: [
        ...SHOWN.map((name) => featureOf(name, settingOf(this.options[name]))),
        featureOf('mds', amountOf('models', this.metadata.summary())),
        featureOf(
          'androidRevocations',
          amountOf('keys', this.metadata.revocations.phones.summary()),
        ),
        featureOf('crls', amountOf('lists', lists && { ...lists, entries: lists.lists })),
      ],
    };
  }

  /** The part of the page for accounts that may see the server's setup. */
  async forOperator() {
    const [findings, database, backup] = await Promise.all([
      this.findings.all(),
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
    const value = phrase(`status:facts.${this.inMemory ? 'inMemory' : 'inRedis'}`);
    return { name: phrase('status:facts.ceremonies'), value };
  }

  private async backup(): Promise<Fact> {
    const made = await this.databaseFindings.lastBackup().catch(() => undefined);
    const name = phrase('status:facts.backup');
    if (made === null) return { name, value: phrase('status:facts.otherBackups') };
    if (made === undefined) return { name, value: phrase('status:facts.noBackup') };
    return { name, value: '', at: new Date(made).toISOString() };
  }

  /** Whether pending ceremonies are kept in this process. */
  private get inMemory(): boolean {
    return this.options.sessions.startsWith('memory:');
  }
}

async function timed(name: Phrase, ping: () => Promise<void>) {
  const began = performance.now();
  const up = await ping().then(
    () => true,
    () => false,
  );
  return { name, up, latencyMs: Math.round((performance.now() - began) * 10) / 10 };
}
