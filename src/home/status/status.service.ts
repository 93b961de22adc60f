import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { warningOf } from '../../health/setup/setup-finding.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { featuresOf, listsFeature, metadataFeature, revocationsFeature } from './features.js';
import type { Check, StatusView } from './status.view.js';

/** Asks the systems that the server depends on, for a public page. */
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
