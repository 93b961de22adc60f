import { Inject, Injectable } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { warningOf } from '../../health/setup/setup-finding.js';
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

/** Checks the systems that the server depends on, for a public page. */
@Injectable()
export class StatusService {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly findings: SetupFindings,
    private readonly metadata: MetadataReport,
  ) {}

  async view() {
    const sessions = this.options.sessions.startsWith('memory:') ? 'memory' : 'redis';
    const checks = await Promise.all([
      timed(phrase('status:checks.database'), this.database.kind, () => this.database.ping()),
      timed(phrase('status:checks.sessions'), sessions, () => this.ceremonies.ping()),
    ]);
    const lists = this.metadata.revocations.summary();
    return {
      title: phrase('status:title'),
      texts: 'status',
      nav: { status: true },
      scripts: ['/static/js/status.js'],
      healthy: checks.every(({ up }) => up),
      warnings: this.findings.ofEverybody().map(warningOf),
      checks,
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
}

/** @param kind the product's name */
async function timed(name: Phrase, kind: string, ping: () => Promise<void>) {
  const began = performance.now();
  const up = await ping().then(
    () => true,
    () => false,
  );
  return { name, kind, up, latencyMs: Math.round((performance.now() - began) * 10) / 10 };
}
