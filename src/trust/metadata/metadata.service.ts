import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { ChangingCall } from '../../audit/audited.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import {
  isStatementDirectory,
  readStatementFiles,
} from '../../platform/config/files/statement-files.js';
import type { Unit } from '../../platform/database/commit/unit.js';
import type { MetadataBlob, SkippedPart } from '../../webauthn/metadata/blob.js';
import { MetadataIndex } from '../../webauthn/metadata/metadata-index.js';
import type { MetadataEntry } from '../../webauthn/metadata/metadata-statement.js';
import { isRevokedChain } from '../../webauthn/certificates/certificate-path.js';
import type { RevocationLists } from '../../webauthn/certificates/revocation-lists.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { Revocations } from '../revocation/revocations.js';
import { NO_DIGEST, isDue } from '../fetched-source.js';
import { MetadataIntake } from './metadata-intake.js';
import { fetchBlob, fileStamp, metadataSource, sourceFailureText } from './metadata-source.js';
import { LoadedSource, MetadataStore } from './metadata-store.js';

const POLL_MS = 2000;
const START_MS = 5000;
/** How many unreadable parts of a BLOB the log lists. */
const MAX_WARNINGS = 50;

/**
 * FIDO metadata (MDS3), which all instances share: each source's last good BLOB is stored in the database and
 * used while the source is down. One instance fetches a source when it is due, or its file has changed, and the
 * others notice a new BLOB within two seconds.
 */
@Injectable()
export class MetadataService extends RecurringJob implements OnModuleInit {
  private readonly logger = new Logger(MetadataService.name);

  /** The sources in the order of `--mds`; for the same model, a later source overrides an earlier one. */
  readonly sources: readonly LoadedSource[];
  /** Models of directories in `--mds`, for FIDO's conformance tests; an entry of a BLOB overrides them. */
  private readonly stated: readonly MetadataEntry[];
  private metadata: MetadataIndex;
  /** The revocation lists used for the signers of the loaded BLOBs. */
  private lists: RevocationLists | undefined;
  private readonly leaving = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private lastRead: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: MetadataStore,
    private readonly intake: MetadataIntake,
    private readonly revocations: Revocations,
    @Inject(serverOptions.KEY) { mds }: ServerOptions,
  ) {
    super({
      everyMs: POLL_MS,
      retryMessage: 'The metadata could not be read again',
      level: 'debug',
    });
    const places = [...new Set(mds)];
    this.stated = places.filter(isStatementDirectory).flatMap(readStatementFiles);
    this.metadata = new MetadataIndex(this.stated);
    this.sources = places
      .filter((place) => !isStatementDirectory(place))
      .map((place) => new LoadedSource(metadataSource(place)));
  }

  /** Whether the server was started with `--mds`. */
  get enabled(): boolean {
    return this.sources.length > 0 || this.stated.length > 0;
  }

  /** The current metadata of all sources. */
  get index(): MetadataIndex {
    return this.metadata;
  }

  async onModuleInit(): Promise<void> {
    if (!this.enabled) return;
    if (this.stated.length > 0) {
      this.logger.warn(`${this.stated.length} metadata statements that nobody signed are in use`);
    }
    for (const { source } of this.sources) await this.store.introduce(source);
    await this.revocations.ready();
    await this.synchronise();
    const first = this.sources.filter(({ source, blob }) => source.kind === 'file' || !blob);
    const fetched = Promise.all(first.map((loaded) => this.ask(loaded)));
    await Promise.race([fetched, pause(START_MS, undefined, { ref: false })]);
    this.start();
  }

  override async onModuleDestroy(): Promise<void> {
    this.leaving.abort();
    await super.onModuleDestroy();
    await Promise.allSettled(this.underWay);
  }

  /**
   * Stores an uploaded BLOB, with its row in the audit trail, and loads it. If it cannot be read back at once, it is
   * stored nevertheless, and a later round loads it.
   *
   * @returns the BLOB
   * @throws MetadataRefused if it does not verify
   */
  async take(call: ChangingCall, loaded: LoadedSource, jwt: Buffer): Promise<MetadataBlob> {
    await this.synchronise();
    const commit = (change: Unit) => call.commit(change, {});
    const blob = await this.intake.take(loaded, { jwt, etag: '', commit });
    await this.runNow();
    return blob;
  }

  protected override async work(): Promise<void> {
    await this.synchronise();
    const now = this.clock.now();
    for (const loaded of this.sources) {
      const { source, state, stamp } = loaded;
      const hasChanged = source.kind === 'file' && (await fileStamp(source.text)) !== stamp;
      if (hasChanged || isDue(source.kind, state, now)) void this.ask(loaded);
    }
  }

  /**
   * Reads the changes of all instances since the last time, one reading after the other: a reading that began
   * before an upload must not replace what was read after it.
   */
  private synchronise(): Promise<void> {
    const read = this.lastRead.then(() => this.readChanges());
    this.lastRead = read.catch(() => undefined);
    return read;
  }

  private async readChanges(): Promise<void> {
    this.checkSigners();
    const states = await this.store.states();
    for (const loaded of this.sources) {
      const state = states.find(({ id }) => id.equals(loaded.source.id));
      if (!state) continue;
      loaded.state = state;
      if (state.digest.equals(loaded.seen)) continue;
      const blob = await this.intake.restore(loaded.source, state);
      // Only now: if the database fails to return it, the next round asks again.
      loaded.seen = state.digest;
      if (blob) this.adopt(loaded, blob);
      else this.logger.warn(`The kept metadata of ${loaded.source.label} is not usable`);
    }
  }

  /**
   * If the revocation lists have changed, drops BLOBs whose signer was revoked since they were loaded, and verifies
   * unused BLOBs again.
   */
  private checkSigners(): void {
    const { lists } = this.revocations;
    if (lists === this.lists) return;
    this.lists = lists;
    for (const loaded of this.sources) {
      if (!loaded.blob) loaded.seen = NO_DIGEST;
      else if (isRevokedChain(loaded.blob.signers, lists)) this.drop(loaded);
    }
  }

  private drop(loaded: LoadedSource): void {
    loaded.blob = undefined;
    this.indexModels();
    const reason = sentenceOf(problem('metadata.revoked'));
    this.logger.warn(`The metadata of ${loaded.source.label} counts no longer: ${reason}`);
    void this.ask(loaded);
  }

  private indexModels(): void {
    const listed = this.sources.flatMap((loaded) => loaded.blob?.entries ?? []);
    this.metadata = new MetadataIndex([...this.stated, ...listed]);
  }

  private adopt(loaded: LoadedSource, blob: MetadataBlob): void {
    loaded.blob = blob;
    loaded.takenAt = loaded.state.takenAt;
    this.indexModels();
    this.revocations.request([blob.signers]);
    const until = dayText(blob.nextUpdate.getTime());
    this.logger.log(
      `Metadata number ${blob.no} of ${loaded.source.label}: ${blob.entries.length} entries, ` +
        `next update ${until}`,
    );
    this.warnOfSkipped(loaded.source.label, blob.skipped);
  }

  private warnOfSkipped(label: string, skipped: readonly SkippedPart[]): void {
    for (const { entry, detail, isEntry, isKept } of skipped.slice(0, MAX_WARNINGS)) {
      const state = isKept ? 'its last known state stays' : 'it is skipped';
      const part = isEntry ? `the entry cannot be read and ${state}` : 'a member is skipped';
      this.logger.warn(`Metadata of ${label}, ${entry}: ${part}: ${detail}`);
    }
    const more = skipped.length - MAX_WARNINGS;
    if (more > 0) this.logger.warn(`Metadata of ${label}: ${more} further parts cannot be read`);
  }

  private ask(loaded: LoadedSource): Promise<void> {
    const asking = this.refresh(loaded).finally(() => this.underWay.delete(asking));
    this.underWay.add(asking);
    return asking;
  }

  /** Fetches a source unless another instance does. Failures are stored and logged, never thrown. */
  private async refresh(loaded: LoadedSource): Promise<void> {
    const { source, state } = loaded;
    const { kind, label } = source;
    if (kind === 'upload') return;
    try {
      const attempt = { kind, now: this.clock.now() };
      const error = await this.store.attempt(state, attempt, () => this.fetch(loaded));
      await this.synchronise();
      if (error !== '') this.logger.warn(`No metadata of ${label}: ${error}`);
    } catch (error) {
      this.logger.debug(`The metadata could not be stored: ${String(error)}`);
    }
  }

  private async fetch(loaded: LoadedSource) {
    const { source, state, blob } = loaded;
    // Before the file is read: a change in the meantime shows at the next look.
    if (source.kind === 'file') loaded.stamp = await fileStamp(source.text);
    try {
      const fetched = await fetchBlob(source, blob ? state.etag : '', this.leaving.signal);
      if (fetched) await this.intake.take(loaded, fetched);
    } catch (error) {
      // A server that stops is no failure of the source.
      if (this.leaving.signal.aborted) throw error;
      return { error: sourceFailureText(error), nextUpdate: loaded.state.nextUpdate };
    }
    await this.synchronise();
    return { error: '', nextUpdate: loaded.state.nextUpdate };
  }
}
