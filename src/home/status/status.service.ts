import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { warningOf } from '../../health/setup/setup-finding.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { phrase, type Phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import type { Check, StatusView, Feature } from './status.view.js';
import type { ServerOptions } from '../../platform/config/server-options.js';

/** Options that are public, since the server's answers reveal them anyway. */
const SHOWN = ['verify', 'attestation', 'aaguid', 'jwt', 'registration', 'session'] as const;

const ON = phrase('status:settings.on');
const OFF = phrase('status:settings.off');

const meaningOf = (name: string): Phrase => phrase(`status:options.${name}`);

const dated = (known: Phrase, stale: boolean): Phrase =>
  stale ? phrase('status:settings.overdue', { known }) : known;

interface MetadataSummary {
  readonly entries: number;
  readonly stale: boolean;
}

/** The row of `--mds`; off without a summary. */
function metadataFeature(summary: MetadataSummary | undefined): Feature {
  const { entries = 0, stale = false } = summary ?? {};
  const known = phrase('status:settings.models', { count: entries });
  const setting = entries === 0 ? phrase('status:settings.none') : dated(known, stale);
  return { option: '--mds', setting: summary ? setting : OFF, meaning: meaningOf('mds') };
}

/** The row of `--android-revocations`; off without a summary. */
function revocationsFeature(summary: MetadataSummary | undefined): Feature {
  const { entries = 0, stale = false } = summary ?? {};
  const keys = dated(phrase('status:settings.keys', { count: entries }), stale);
  const meaning = meaningOf('androidRevocations');
  return { option: '--android-revocations', setting: summary ? keys : OFF, meaning };
}

/** The row of `--crls`; off without a summary. */
function listsFeature(
  summary: { readonly lists: number; readonly stale: boolean } | undefined,
): Feature {
  const { lists = 0, stale = false } = summary ?? {};
  const known = dated(phrase('status:settings.lists', { count: lists }), stale);
  return { option: '--crls', setting: summary ? known : OFF, meaning: meaningOf('crls') };
}

/** The options that affect ceremonies, in words. */
function featuresOf(options: ServerOptions): Feature[] {
  return SHOWN.map((name) => ({
    option: `--${name}`,
    setting: settingOf(options[name]),
    meaning: meaningOf(name),
  }));
}

function settingOf(value: boolean | number | string): Text {
  if (typeof value !== 'boolean') return String(value);
  return value ? ON : OFF;
}

/** Checks the systems that the server depends on, for a public page. */
@Injectable()
export class StatusService {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly database: Database,
    private readonly ceremonies: CeremonyStore,
    private readonly findings: SetupFindings,
    private readonly metadata: MetadataReport,
  ) {}

  async view(): Promise<StatusView> {
    const sessions = this.options.sessions.startsWith('memory:') ? 'memory' : 'redis';
    const checks = await Promise.all([
      timed(phrase('status:checks.database'), this.database.kind, () => this.database.ping()),
      timed(phrase('status:checks.sessions'), sessions, () => this.ceremonies.ping()),
    ]);
    return {
      title: phrase('status:title'),
      texts: 'status',
      nav: { status: true },
      scripts: ['/static/js/status.js'],
      healthy: checks.every(({ up }) => up),
      warnings: this.findings.ofEverybody().map(warningOf),
      checks,
      features: [
        ...featuresOf(this.options),
        metadataFeature(this.metadata.enabled ? this.metadata.summary() : undefined),
        revocationsFeature(this.metadata.revocations()),
        listsFeature(this.metadata.lists()),
      ],
    };
  }
}

async function timed(name: Phrase, kind: string, ping: () => Promise<void>): Promise<Check> {
  const began = performance.now();
  const up = await ping().then(
    () => true,
    () => false,
  );
  return { name, kind, up, latencyMs: Math.round((performance.now() - began) * 10) / 10 };
}
