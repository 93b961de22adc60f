import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '../../platform/common/durations.js';
import { DocumentError } from '../../platform/common/network/documents.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { sha256 } from '../../platform/common/sha256.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { messageOfError } from '../../platform/errors/driver-errors.js';
import {
  readRevokedSerials,
  type RevokedSerials,
} from '../../webauthn/attestation/revoked-keys.js';
import { isDue, NO_DIGEST } from '../fetched-source.js';
import {
  fetchBlob,
  fileStamp,
  metadataSource,
  sourceFailureText,
  type FetchedBlob,
  type MetadataSource,
} from '../metadata/metadata-source.js';
import { MetadataStore, type SourceState, type TakenBlob } from '../metadata/metadata-store.js';

const POLL_MS = 2000;
/** The maximum time that the start of the server waits for a web address. */
const START_MS = 5000;
const STALE_MS = 7 * DAY_MS;
/** How far the clocks of two instances may differ: a list has the time of the one that fetched it. */
const SKEW_MS = MINUTE_MS;
/** Google has one list, wherever it comes from: the stored one stays in use if the option names another place. */
const ROW = {
  id: sha256('--android-revocations').subarray(0, 16),
  label: '--android-revocations',
} as const;

interface FetchedPhoneList {
  readonly taken: TakenBlob;
  readonly fetched: FetchedBlob;
}

/**
 * Google's list of revoked phone keys (`--android-revocations`), which all instances share: one instance reads the file
 * every minute, or asks the address every six hours. The last good list is stored in the database beside the metadata,
 * and used while its source fails; the log warns once it is a week old.
 */
@Injectable()
export class AndroidRevocations extends RecurringJob implements OnModuleInit {
  private readonly logger = new Logger(AndroidRevocations.name);
  private readonly source: MetadataSource | undefined;
  private readonly leaving = new AbortController();
  private serials: RevokedSerials = new Set();
  /** Digest of the list in use; `NO_DIGEST` before the first. */
  private digest: Buffer = NO_DIGEST;
  /** When the file was last modified or the address last answered, in ms since 1970; 0 before the first list. */
  private madeAt = 0;
  /** The stamp of the file when it was last read. */
  private stamp = '';
  private isFirstRound = true;
  private asking: Promise<void> | undefined;
  private warned = '';

  constructor(
    private readonly store: MetadataStore,
    @Inject(serverOptions.KEY) { androidRevocations }: ServerOptions,
  ) {
    super({
      everyMs: POLL_MS,
      retryMessage: 'The list of revoked phone keys is read again in a moment',
    });
    this.source = androidRevocations === undefined ? undefined : metadataSource(androidRevocations);
  }

  get revoked(): RevokedSerials {
    return this.serials;
  }

  /** Whether a list is configured that no instance has stored yet. */
  get isMissing(): boolean {
    return this.source !== undefined && this.digest.equals(NO_DIGEST);
  }

  /** State of the list, for operators; `undefined` if none is configured. */
  summary(): { readonly entries: number; readonly stale: boolean } | undefined {
    return this.source && { entries: this.serials.size, stale: this.staleness !== '' };
  }

  async onModuleInit(): Promise<void> {
    const { source } = this;
    if (!source) return;
    await this.store.introduce(ROW);
    await this.synchronise(source);
    await this.runNow();
    this.start();
    await Promise.race([this.asking, pause(START_MS, undefined, { ref: false })]);
  }

  override async onModuleDestroy(): Promise<void> {
    this.leaving.abort();
    await super.onModuleDestroy();
    await this.asking;
  }

  /** Why the list may lack the latest keys, as a sentence; empty if it does not. */
  private get staleness(): string {
    const now = this.clock.now();
    if (this.madeAt > now + SKEW_MS) return 'It is of a later time than the clock.';
    return now - this.madeAt > STALE_MS ? 'It is more than a week old.' : '';
  }

  protected override async work(): Promise<void> {
    const { source } = this;
    if (!source) return;
    const state = await this.synchronise(source);
    if (this.asking) return;
    const { kind, text } = source;
    const hasChanged = kind === 'file' && (await fileStamp(text)) !== this.stamp;
    // Due or not: a stored list may be unreadable, and the start may follow a correction of the address.
    const isFirst = this.isFirstRound && (this.isMissing || state.error !== '');
    this.isFirstRound = false;
    if (!hasChanged && !isFirst && !isDue(kind, state, this.clock.now())) return;
    // Not awaited: meanwhile this process reads what others store.
    this.asking = this.ask(source, state).finally(() => {
      this.asking = undefined;
    });
  }

  /** Fetches the list unless another instance does. Failures of the source are stored, others are logged. */
  private async ask(source: MetadataSource, state: SourceState): Promise<void> {
    const attempt = { kind: source.kind, now: this.clock.now() };
    try {
      await this.store.attempt(state, attempt, async () => {
        return { error: await this.refresh(source, state), nextUpdate: 0 };
      });
      await this.runNow();
    } catch (error) {
      if (this.leaving.signal.aborted) return;
      this.logger.warn(`The list of revoked phone keys could not be stored: ${String(error)}`);
    }
  }

  /**
   * Reads the source and stores its list.
   *
   * @returns why the source could not be read, as a sentence; empty if it could
   * @throws the driver's error, or the one of a server that stops: neither is a failure of the source
   */
  private async refresh(source: MetadataSource, state: SourceState): Promise<string> {
    let list: FetchedPhoneList | undefined;
    try {
      list = await this.fetch(source, state);
    } catch (error) {
      if (this.leaving.signal.aborted) throw error;
      return sourceFailureText(error);
    }
    if (list) await this.store.advance(state, list.taken, list.fetched);
    return '';
  }

  /**
   * Reads the source. A list that is stored already is to be stored again: a part of it may be lost, and an address has
   * confirmed it.
   *
   * @returns `undefined` if a file is the stored one
   * @throws DocumentError if it is no such list, or an older file
   */
  private async fetch(
    source: MetadataSource,
    state: SourceState,
  ): Promise<FetchedPhoneList | undefined> {
    // Before the file is read: a change in the meantime shows at the next look.
    if (source.kind === 'file') this.stamp = await fileStamp(source.text);
    // Without an ETag: another address may have the same for another list.
    const fetched = await fetchBlob(source, '', this.leaving.signal);
    if (!fetched) return undefined;
    const { jwt: list } = fetched;
    const digest = sha256(list);
    const takenAt = this.clock.now();
    const no = source.kind === 'file' ? Math.floor((await stat(source.text)).mtimeMs) : takenAt;
    if (source.kind === 'file') {
      // A time ahead of the clock says nothing about the order.
      const isOlder = no < state.no && state.no <= takenAt;
      if (digest.equals(this.digest) && (isOlder || no === state.no)) return undefined;
      if (isOlder) {
        throw new DocumentError('The file is older than the list that is here: it is ignored.');
      }
    }
    serialsOf(list);
    return { taken: { digest, no, nextUpdate: 0, takenAt, etag: '', lastKnown: [] }, fetched };
  }

  /** Reads what any instance has stored since the last time. */
  private async synchronise({ label }: MetadataSource): Promise<SourceState> {
    const state = await this.store.state(ROW.id);
    const { digest, no, error } = state;
    if (!digest.equals(this.digest)) {
      const list = await this.store.read(digest);
      const serials = list && storedSerials(list);
      if (serials) {
        this.serials = serials;
        this.digest = digest;
      }
    }
    const isRead = digest.equals(this.digest);
    if (isRead) this.madeAt = no;
    const unread = isRead ? '' : 'The stored list cannot be read.';
    const staleness = this.isMissing ? '' : this.staleness;
    this.warn(label, error || unread || staleness);
    return state;
  }

  /** Logs each fault once, and again only if it comes back. */
  private warn(label: string, fault: string): void {
    if (fault !== '' && fault !== this.warned) {
      this.logger.warn(`The list of revoked phone keys of ${label}: ${fault}`);
    }
    this.warned = fault;
  }
}

/** @throws DocumentError if it is no such list */
function serialsOf(list: Buffer): RevokedSerials {
  try {
    return readRevokedSerials(list.toString('utf8'));
  } catch (error) {
    throw new DocumentError(messageOfError(error));
  }
}

/** Reads a stored list. It was accepted when it was stored, but this version may refuse it. */
function storedSerials(list: Buffer): RevokedSerials | undefined {
  try {
    return serialsOf(list);
  } catch {
    return undefined;
  }
}
