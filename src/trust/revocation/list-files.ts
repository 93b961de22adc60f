import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { OptionMistakes } from '../../config/load-options.js';
import { serverOptions } from '../../config/server-config.js';
import type { RevocationList } from '../../webauthn/attestation/revocation-list.js';
import { OVERDUE, faultOf } from './list-faults.js';
import { FETCH } from './fetched-lists.js';
import { filesAt, readListFile } from './list-file.js';
import type { ListFile } from './list-file.js';

const POLL_MS = 2_000;
const EVERY_MS = 60_000;
const WORDS: readonly string[] = Object.values(FETCH);

/** Revocation lists that the operator puts into files or directories, which each process reads for itself. */
@Injectable()
export class ListFiles implements OnModuleInit, OnModuleDestroy {
  private readonly paths: readonly string[];
  private files: ReadonlyMap<string, ListFile> = new Map();
  private current: readonly RevocationList[] = [];
  private warned: readonly string[] = [];
  private dueAt = 0;
  private reading: Promise<unknown> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) { crls }: ConfigType<typeof serverOptions>,
  ) {
    this.paths = crls.filter((path) => !WORDS.includes(path));
  }

  get enabled(): boolean {
    return this.paths.length > 0;
  }

  /** All lists; the same array is returned while nothing has changed. */
  get lists(): readonly RevocationList[] {
    return this.current;
  }

  /** @throws OptionMistakes where a file cannot be read, or is not a list */
  async onModuleInit(): Promise<void> {
    if (!this.enabled) return;
    const mistakes = await this.read();
    if (mistakes.length > 0) throw new OptionMistakes(mistakes.map((fault) => `--crls: ${fault}`));
    this.timer = setInterval(() => void this.poll(), POLL_MS);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.reading;
  }

  /** Reads the files again, if a minute has passed. */
  async catchUp(): Promise<void> {
    await this.reading;
    await this.poll();
  }

  private async poll(): Promise<void> {
    if (this.reading || this.dueAt > this.clock.now()) return;
    this.reading = this.read();
    await this.reading;
    this.reading = undefined;
  }

  /** @returns what is wrong, in sentences, except for lists of a kind that is not supported */
  private async read(): Promise<readonly string[]> {
    this.dueAt = this.clock.now() + EVERY_MS;
    const read = new Map<string, ListFile>();
    const missing: string[] = [];
    for (const path of this.paths) {
      try {
        for (const file of await filesAt(path)) {
          read.set(file, await readListFile(file, this.files.get(file)));
        }
      } catch (error) {
        // The lists read before stay in use: a missing file does not mean that anything is no longer revoked.
        missing.push(`${path}: ${faultOf(error)}`);
      }
    }
    if (missing.length === 0) this.adopt(read);
    const faults = [...read.values()].filter(({ fault }) => fault !== '');
    const overdue = [...read].filter(([, { lists }]) => this.isOverdue(lists));
    this.warn([
      ...missing,
      ...faults.map(({ fault }) => fault),
      ...overdue.map(([path]) => `${path}: ${OVERDUE}`),
    ]);
    return [...missing, ...faults.filter((it) => !it.isIgnored).map(({ fault }) => fault)];
  }

  private isOverdue(lists: readonly RevocationList[]): boolean {
    return lists.some(({ nextUpdate }) => (nextUpdate ?? Infinity) < this.clock.now());
  }

  private adopt(read: ReadonlyMap<string, ListFile>): void {
    const lists = [...read.values()].flatMap((file) => file.lists);
    this.files = read;
    const isSame =
      lists.length === this.current.length && lists.every((it) => this.current.includes(it));
    if (!isSame) this.current = lists;
  }

  /** Logs each fault once, and again only after it has gone and come back. */
  private warn(faults: readonly string[]): void {
    for (const fault of faults.filter((it) => !this.warned.includes(it))) {
      Logger.warn(`A revocation list of ${fault}`, 'Trust');
    }
    this.warned = faults;
  }
}
