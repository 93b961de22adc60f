import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { gauge } from '../../platform/telemetry/metrics.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { Revocations } from '../revocation/revocations.js';
import type { MetadataBlob } from '../../webauthn/metadata/blob.js';
import type { SourceReport } from './metadata.answer.js';
import type { LoadedSource } from './metadata-store.js';
import { MetadataService } from './metadata.service.js';

/** Creates a gauge of which the greatest value counts, if there are several workers. */
const greatest = (name: string, help: string) => gauge({ name, help, aggregator: 'max' });

const ENTRIES = greatest('servicefido_mds_entries', 'Authenticator models in the metadata');
const SKIPPED = greatest(
  'servicefido_mds_skipped_entries',
  'Entries of the metadata that cannot be read',
);
const SKIPPED_MEMBERS = greatest(
  'servicefido_mds_skipped_members',
  'Members of the metadata that cannot be read and decide nothing',
);
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
      SKIPPED.set(metadata.skippedEntries);
      SKIPPED_MEMBERS.set(metadata.skippedMembers);
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

const sum = (sources: readonly SourceReport[], name: keyof ReturnType<typeof countsOf>): number =>
  sources.reduce((total, source) => total + source[name], 0);

/** How many models a BLOB has, and how many of its parts cannot be read. */
export const countsOf = ({
  entries,
  skipped,
}: Pick<MetadataBlob, 'entries' | 'skipped'> = NO_BLOB) => ({
  entries: entries.length,
  skippedEntries: skipped.filter(({ isEntry }) => isEntry).length,
  skippedMembers: skipped.filter(({ isEntry }) => !isEntry).length,
});
const NO_BLOB = { entries: [], skipped: [] };

export const summaryOf = (sources: readonly SourceReport[]) => ({
  entries: sum(sources, 'entries'),
  skippedEntries: sum(sources, 'skippedEntries'),
  skippedMembers: sum(sources, 'skippedMembers'),
  /** Age of the oldest BLOB in seconds. */
  age: Math.max(...sources.map(({ age }) => age ?? 0), 0),
  stale: sources.some(({ stale }) => stale),
});

/** The BLOB is the one in use, which is older than the last good one until that can be read. */
function reportOf({ source, state, blob, takenAt }: LoadedSource, now: number): SourceReport {
  const { checkedAt, error } = state;
  return {
    source: source.label,
    kind: source.kind,
    no: blob?.no ?? null,
    nextUpdate: blob ? dayText(blob.nextUpdate.getTime()) : null,
    ...countsOf(blob),
    takenAt: time(takenAt),
    age: blob ? Math.max(Math.floor((now - takenAt) / 1000), 0) : null,
    checkedAt: time(checkedAt),
    stale: !blob || blob.nextUpdate.getTime() < now,
    error,
  };
}
