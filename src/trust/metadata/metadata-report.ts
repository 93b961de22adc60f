import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { gauge } from '../../platform/telemetry/metrics.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { Revocations } from '../revocation/revocations.js';
import type { SourceReport } from './metadata.answer.js';
import type { LoadedSource } from './metadata-store.js';
import { MetadataService } from './metadata.service.js';

/** Creates a gauge of which the greatest value counts, if there are several workers. */
const greatest = (name: string, help: string) => gauge({ name, help, aggregator: 'max' });

const ENTRIES = greatest('servicefido_mds_entries', 'Authenticator models in the metadata');
const AGE = greatest('servicefido_mds_age_seconds', 'Seconds since the oldest BLOB was taken');
const STALE = greatest('servicefido_mds_stale', '1 when metadata is missing or overdue');
const LISTED = greatest('servicefido_crl_certificates', 'Certificates on revocation lists');
const LISTS_STALE = greatest(
  'servicefido_crl_stale',
  '1 when a revocation list is missing or overdue',
);

const time = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

/** Reports state and age of the metadata and the revocation lists. */
@Injectable()
export class MetadataReport {
  constructor(
    private readonly metadata: MetadataService,
    private readonly clock: Clock,
    readonly revocations: Revocations,
  ) {}

  sources(): SourceReport[] {
    const now = this.clock.now();
    return this.metadata.sources.map((loaded) => reportOf(loaded, now));
  }

  /** All sources together, without their names, for public pages; `undefined` without `--mds`. */
  summary() {
    return this.metadata.enabled ? summaryOf(this.sources()) : undefined;
  }

  /** Sets the gauges of `/metrics`. */
  measure(): void {
    const metadata = this.summary();
    if (metadata) {
      ENTRIES.set(metadata.entries);
      AGE.set(metadata.age);
      STALE.set(metadata.stale ? 1 : 0);
    }
    const lists = this.revocations.summary();
    if (lists) {
      LISTED.set(lists.revoked);
      LISTS_STALE.set(lists.stale ? 1 : 0);
    }
  }
}

export const summaryOf = (sources: readonly SourceReport[]) => ({
  entries: sources.reduce((sum, { entries }) => sum + entries, 0),
  /** Age of the oldest BLOB in seconds. */
  age: Math.max(...sources.map(({ age }) => age ?? 0), 0),
  stale: sources.some(({ stale }) => stale),
});

function reportOf({ source, state, blob }: LoadedSource, now: number): SourceReport {
  const { no, nextUpdate, takenAt, checkedAt, error } = state;
  return {
    source: source.label,
    kind: source.kind,
    no: blob ? no : null,
    nextUpdate: blob ? dayText(nextUpdate) : null,
    entries: blob?.entries.length ?? 0,
    takenAt: time(takenAt),
    age: blob ? Math.max(Math.floor((now - takenAt) / 1000), 0) : null,
    checkedAt: time(checkedAt),
    stale: !blob || nextUpdate < now,
    error,
  };
}
