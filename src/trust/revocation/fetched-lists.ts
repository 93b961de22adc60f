import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DocumentError } from '../../platform/common/network/documents.js';
import { sha256 } from '../../platform/common/sha256.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { FETCH_WORDS } from '../../platform/config/start-checks.js';
import { loadCertificate } from '../../webauthn/certificates/certificate.js';
import type { DistributionPoint } from '../../webauthn/certificates/distribution-points.js';
import {
  isSignedBy,
  readRevocationList,
  type RevocationList,
} from '../../webauthn/certificates/revocation-list.js';
import { NO_DIGEST, isDue } from '../fetched-source.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { fetchList } from './list-client.js';
import { LIST_OVERDUE, listFaultText } from './list-faults.js';
import { RevocationStore, listPlaceId, type ListState } from './revocation-store.js';

const POLL_MS = 2_000;
const AT_ONCE = 8;
/** More places than all makers have; further ones are not fetched. */
const MAX_PLACES = 256;

interface Place {
  readonly state: ListState;
  readonly list: RevocationList | undefined;
}

/** Reads a stored list. It was accepted when it was stored, but this version may refuse it. */
function readStored(bytes: Buffer): RevocationList | undefined {
  try {
    return readRevocationList(bytes);
  } catch {
    return undefined;
  }
}

const nameOf = (id: Buffer): string => id.toString('hex');

/**
 * Revocation lists that attestation certificates name, shared by all instances: one instance fetches a place when it
 * is due; the last good list is stored in the database for all, and used while the place is down.
 */
@Injectable()
export class FetchedLists extends RecurringJob implements OnModuleInit {
  private readonly logger = new Logger(FetchedLists.name);
  readonly enabled: boolean;
  private readonly anywhere: boolean;
  private places: ReadonlyMap<string, Place> = new Map();
  private current: readonly RevocationList[] = [];
  /** Places from certificates that this instance has not seen in the database yet. */
  private readonly named = new Map<string, DistributionPoint>();
  private isFull = false;
  private readonly leaving = new AbortController();
  private first: Promise<void> | undefined;

  constructor(
    private readonly store: RevocationStore,
    @Inject(serverOptions.KEY) { crls }: ServerOptions,
  ) {
    super({
      everyMs: POLL_MS,
      retryMessage: 'The revocation lists could not be read again',
      level: 'debug',
    });
    this.anywhere = crls.includes(FETCH_WORDS.any);
    this.enabled = this.anywhere || crls.includes(FETCH_WORDS.public);
  }

  /** All lists; the same array is returned while nothing has changed. */
  get lists(): readonly RevocationList[] {
    return this.current;
  }

  get missing(): number {
    return [...this.places.values()].filter(({ list, state }) => !list && state.checkedAt > 0)
      .length;
  }

  /** Resolves when the lists in the database have been read. */
  async ready(): Promise<void> {
    if (this.enabled) await (this.first ??= this.synchronise());
  }

  async onModuleInit(): Promise<void> {
    if (!this.enabled) return;
    await this.ready();
    this.start();
  }

  override async onModuleDestroy(): Promise<void> {
    this.leaving.abort();
    await super.onModuleDestroy();
  }

  /** Requests that a list be fetched soon. This costs next to nothing, since requests wait for it. */
  request(point: DistributionPoint): void {
    const name = nameOf(listPlaceId(point));
    if (this.places.has(name) || this.named.has(name)) return;
    if (this.places.size + this.named.size < MAX_PLACES) {
      this.named.set(name, point);
    } else if (!this.isFull) {
      this.isFull = true;
      this.logger.warn(`More than ${MAX_PLACES} revocation lists are named: others are not asked.`);
    }
  }

  /** Fetches the places that are due, and reads what other instances have fetched. */
  protected override async work(): Promise<void> {
    for (const point of this.named.values()) await this.store.introduce(point);
    await this.synchronise();
    const now = this.clock.now();
    const due = [...this.places.values()].filter(({ state: { dueAt } }) =>
      isDue('url', { dueAt, nextUpdate: now + DAY_MS }, now),
    );
    for (let at = 0; at < due.length && !this.leaving.signal.aborted; at += AT_ONCE) {
      await Promise.all(due.slice(at, at + AT_ONCE).map(({ state }) => this.ask(state)));
      await this.synchronise();
    }
  }

  /** Reads the changes of all instances since the last time. */
  private async synchronise(): Promise<void> {
    const states = await this.store.states();
    const places = new Map<string, Place>();
    for (const state of states) places.set(nameOf(state.id), await this.placeOf(state));
    const lists = [...places.values()].flatMap(({ list }) => list ?? []);
    this.places = places;
    for (const name of places.keys()) this.named.delete(name);
    const isSame =
      lists.length === this.current.length && lists.every((it) => this.current.includes(it));
    if (!isSame) this.current = lists;
  }

  private async placeOf(state: ListState): Promise<Place> {
    const known = this.places.get(nameOf(state.id));
    if (known?.state.digest.equals(state.digest)) return { state, list: known.list };
    const bytes = state.digest.equals(NO_DIGEST) ? undefined : await this.store.read(state);
    return { state, list: bytes && readStored(bytes) };
  }

  /** Fetches a place unless another instance does. */
  private async ask(state: ListState): Promise<void> {
    const now = this.clock.now();
    const error = await this.store.attempt(state, { kind: 'url', now }, () =>
      this.take(state).then(
        ({ nextUpdate: next = Infinity }) => ({
          error: next < now ? LIST_OVERDUE : '',
          nextUpdate: Math.min(next, now + DAY_MS),
        }),
        (fault: unknown) => ({ error: listFaultText(fault), nextUpdate: 0 }),
      ),
    );
    if (error !== '') {
      this.logger.warn(`No revocation list of ${new URL(state.address).host}: ${error}`);
    }
  }

  /**
   * @returns the list to use from now on
   * @throws DocumentError if the answer is not a list of the authority, or an older one
   */
  private async take(state: ListState): Promise<RevocationList> {
    const { signal } = this.leaving;
    const bytes = await fetchList(state.address, { anywhere: this.anywhere, signal });
    const digest = sha256(bytes);
    const known = this.places.get(nameOf(state.id))?.list;
    if (known && digest.equals(state.digest)) return known;
    const list = readRevocationList(bytes);
    if (!isSignedBy(list, loadCertificate(state.issuer))) {
      throw new DocumentError('The authority did not sign the list.');
    }
    if (list.thisUpdate < state.thisUpdate) {
      throw new DocumentError('It is older than the one that is here.');
    }
    await this.store.keep(state, { list: bytes, digest, thisUpdate: list.thisUpdate });
    return list;
  }
}
