import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DocumentError } from '../../platform/common/network/documents.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { messageOfError } from '../../platform/errors/driver-errors.js';
import {
  readRevokedSerials,
  type RevokedSerials,
} from '../../webauthn/attestation/revoked-keys.js';
import { afterAttempt, isDue } from '../fetched-source.js';
import {
  fetchBlob,
  metadataSource,
  sourceFailureText,
  type MetadataSource,
} from '../metadata/metadata-source.js';
import { DAY_MS } from '../../platform/common/durations.js';

const POLL_MS = 2000;
/** The maximum time that the start of the server waits for a web address. */
const START_MS = 5000;
const STALE_MS = 7 * DAY_MS;
const NOTHING: RevokedSerials = new Set();

/**
 * Google's list of revoked phone keys (`--android-revocations`), which each process reads for itself: from a file
 * every minute, or from an address every six hours. The last good list is used while its source fails; the log
 * warns once it is a week old.
 */
@Injectable()
export class AndroidRevocations extends RecurringJob implements OnModuleInit {
  private readonly logger = new Logger(AndroidRevocations.name);
  private readonly source: MetadataSource | undefined;
  private readonly leaving = new AbortController();
  private serials = NOTHING;
  private etag = '';
  /** When the file was last modified or the address last answered, in ms since 1970; 0 before the first list. */
  private madeAt = 0;
  private dueAt = 0;
  private failures = 0;
  private warned = '';
  private asking: Promise<unknown> | undefined;

  constructor(@Inject(serverOptions.KEY) { androidRevocations }: ServerOptions) {
    super({
      everyMs: POLL_MS,
      retryMessage: 'The list of revoked phone keys is read again in a moment',
    });
    this.source = androidRevocations === undefined ? undefined : metadataSource(androidRevocations);
  }

  get revoked(): RevokedSerials {
    return this.serials;
  }

  /** Whether a list is configured that this process has never read. */
  get isMissing(): boolean {
    return this.source !== undefined && this.madeAt === 0;
  }

  /** State of the list, for operators; `undefined` if none is configured. */
  summary(): { readonly entries: number; readonly stale: boolean } | undefined {
    return this.source && { entries: this.serials.size, stale: this.staleness !== '' };
  }

  /** @throws OptionMistakes if the list is a file that cannot be read */
  async onModuleInit(): Promise<void> {
    const { source } = this;
    if (!source) return;
    const asked = this.ask(source);
    const waited = pause(START_MS, undefined, { ref: false });
    const fault = await (source.kind === 'file' ? asked : Promise.race([asked, waited]));
    if (fault !== undefined && source.kind === 'file') {
      throw new OptionMistakes([`--android-revocations: ${source.label}: ${fault}`]);
    }
    this.start();
  }

  override async onModuleDestroy(): Promise<void> {
    this.leaving.abort();
    await super.onModuleDestroy();
    await this.asking;
  }

  /** Why the list may lack the latest keys, as a sentence; empty if it does not. */
  private get staleness(): string {
    const now = this.clock.now();
    if (this.madeAt > now) return 'It is of a later time than the clock.';
    return now - this.madeAt > STALE_MS ? 'It is more than a week old.' : '';
  }

  protected override async work(): Promise<void> {
    const { source } = this;
    if (!source || this.asking) return;
    const state = { dueAt: this.dueAt, nextUpdate: 0 };
    if (isDue(source.kind, state, this.clock.now())) await this.ask(source);
  }

  /** @returns the reason of a failure, as a sentence; `undefined` on success */
  private async ask(source: MetadataSource): Promise<string | undefined> {
    const asking = this.refresh(source).catch(sourceFailureText);
    this.asking = asking;
    const fault = await asking;
    this.asking = undefined;
    const { failures } = this;
    const attempt = { now: this.clock.now(), isGood: fault === undefined, failures, nextUpdate: 0 };
    const next = afterAttempt(source.kind, attempt);
    this.failures = next.failures;
    this.dueAt = next.dueAt;
    this.warn(source, fault ?? this.staleness);
    return fault;
  }

  private async refresh(source: MetadataSource): Promise<undefined> {
    const fetched = await fetchBlob(source, this.etag, this.leaving.signal);
    const madeAt = source.kind === 'file' ? (await stat(source.text)).mtimeMs : this.clock.now();
    // A time ahead of the clock says nothing about the order.
    const isKnown = this.madeAt <= this.clock.now();
    if (source.kind === 'file' && isKnown && madeAt < this.madeAt) {
      throw new DocumentError('The file is older than the list that is here: it is ignored.');
    }
    if (fetched) {
      this.serials = serialsOf(fetched.jwt);
      this.etag = fetched.etag;
    }
    this.madeAt = madeAt;
  }

  /** Logs each fault once, and again only if it comes back. */
  private warn({ label }: MetadataSource, fault: string): void {
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
