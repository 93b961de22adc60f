import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { isWindowOver } from '../../platform/common/clock.js';
import { DocumentError } from '../../platform/common/network/documents.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { FETCH_WORDS } from '../../platform/config/start-checks.js';
import {
  readRevocationList,
  type RevocationList,
} from '../../webauthn/certificates/revocation-list.js';
import {
  listFaultText,
  LIST_FILE_MISSING,
  isUnsupportedList,
  LIST_OUTDATED,
  LIST_OVERDUE,
} from './list-faults.js';

/** Enough for several lists in PEM. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 256;
const LIST_FILE = /\.(?:crl|pem|der)$/i;
const PEM = /-----BEGIN X509 CRL-----([\sA-Za-z0-9+/=]+)-----END X509 CRL-----/g;

interface ListFile {
  /** Modification time, size and inode of the file; changes with it. */
  readonly stamp: string;
  readonly lists: readonly RevocationList[];
  /** Why the file could not be read completely; empty if it could. */
  readonly fault: string;
  /** Whether the only fault is a valid list of an unsupported kind. */
  readonly isIgnored: boolean;
}

/**
 * The files at a path: the path itself, or the files of a directory with the extension `.crl`, `.pem` or
 * `.der`.
 *
 * @throws Error of Node's if there is none, DocumentError if there are more than 256
 */
async function filesAt(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const files = (await readdir(path)).filter((name) => LIST_FILE.test(name)).sort();
  if (files.length > MAX_FILES) throw new DocumentError(`There are more than ${MAX_FILES} files.`);
  return files.map((name) => join(path, name));
}

/**
 * Reads the lists of a file: one in DER, or several in PEM.
 *
 * @param before the previous content, which stays in use while the file cannot be read
 */
async function readListFile(path: string, before?: ListFile): Promise<ListFile> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    const stamp = [mtimeMs, size, ino].join();
    if (stamp === before?.stamp) return before;
    if (size > MAX_FILE_BYTES) throw new DocumentError('The file is larger than 4 MiB.');
    return { stamp, lists: listsOf(await readFile(path)), fault: '', isIgnored: false };
  } catch (error) {
    const lists = before?.lists ?? [];
    return {
      stamp: '',
      lists,
      fault: `${path}: ${listFaultText(error)}`,
      isIgnored: isUnsupportedList(error),
    };
  }
}

function listsOf(bytes: Buffer): readonly RevocationList[] {
  const text = bytes.toString('latin1');
  const blocks = [...text.matchAll(PEM)].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
  return (blocks.length > 0 ? blocks : [bytes]).map(readRevocationList);
}

/** Reads all paths; `missing` are sentences about paths without files, with the reason. */
async function readAll(
  paths: readonly string[],
  before: ReadonlyMap<string, ListFile> = new Map(),
) {
  const files = new Map<string, ListFile>();
  const missing: string[] = [];
  for (const path of paths) {
    try {
      for (const file of await filesAt(path)) {
        files.set(file, await readListFile(file, before.get(file)));
      }
    } catch (error) {
      missing.push(`${path}: ${listFaultText(error)}`);
    }
  }
  return { files, missing };
}

const WORDS: readonly string[] = Object.values(FETCH_WORDS);
const pathsOf = (crls: readonly string[]) => crls.filter((path) => !WORDS.includes(path));

/**
 * Reads the files of `--crls` before the server writes anything.
 *
 * @throws OptionMistakes if a file cannot be read, or is not a list
 */
export async function requireLists({ crls }: Pick<ServerOptions, 'crls'>): Promise<void> {
  refuse(mistakesIn(await readAll(pathsOf(crls))));
}

/** The mistakes as sentences, except for lists of an unsupported kind. */
function mistakesIn({ files, missing }: Awaited<ReturnType<typeof readAll>>): readonly string[] {
  const faulty = [...files.values()].filter((file) => file.fault !== '' && !file.isIgnored);
  return [...missing, ...faulty.map(({ fault }) => fault)];
}

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new OptionMistakes(mistakes.map((fault) => `--crls: ${fault}`));
}

const POLL_MS = 2_000;
const EVERY_MS = 60_000;

/** Revocation lists in the operator's files or directories, which each process reads for itself. */
@Injectable()
export class ListFiles extends RecurringJob implements OnModuleInit {
  private readonly logger = new Logger(ListFiles.name);
  private readonly paths: readonly string[];
  private files: ReadonlyMap<string, ListFile> = new Map();
  private current: readonly RevocationList[] = [];
  private warned: readonly string[] = [];
  private dueAt = 0;
  private first: Promise<readonly string[]> | undefined;

  constructor(@Inject(serverOptions.KEY) { crls }: ServerOptions) {
    super({ everyMs: POLL_MS, retryMessage: 'The revocation lists are read again in a minute' });
    this.paths = pathsOf(crls);
  }

  get enabled(): boolean {
    return this.paths.length > 0;
  }

  /** All lists; the same array is returned while nothing has changed. */
  get lists(): readonly RevocationList[] {
    return this.current;
  }

  /**
   * Resolves when the files have been read for the first time.
   *
   * @returns the mistakes as sentences
   */
  ready(): Promise<readonly string[]> {
    return (this.first ??= this.read());
  }

  /** @throws OptionMistakes if a file cannot be read, or is not a list */
  async onModuleInit(): Promise<void> {
    if (!this.enabled) return;
    refuse(await this.ready());
    this.start();
  }

  /** Reads the files again, if a minute has passed. */
  protected override async work(): Promise<void> {
    if (isWindowOver(this.dueAt, this.clock.now(), EVERY_MS)) await this.read();
  }

  /** @returns the mistakes as sentences, except for lists of an unsupported kind */
  private async read(): Promise<readonly string[]> {
    this.dueAt = this.clock.now() + EVERY_MS;
    const found = await readAll(this.paths, this.files);
    const { files } = found;
    this.adopt(files);
    this.warn([
      ...found.missing,
      ...[...files.values()].map(({ fault }) => fault).filter((fault) => fault !== ''),
      ...this.pathsWith((list) => !this.isInForce(list), LIST_OUTDATED),
      ...this.pathsWith((list) => this.isInForce(list) && this.isOverdue(list), LIST_OVERDUE),
      ...this.pathsWith(
        (list, path) => this.isInForce(list) && !files.has(path),
        LIST_FILE_MISSING,
      ),
    ]);
    return mistakesIn(found);
  }

  /** A warning for each file with such a list. */
  private pathsWith(
    has: (list: RevocationList, path: string) => boolean,
    sentence: string,
  ): readonly string[] {
    return [...this.files]
      .filter(([path, { lists }]) => lists.some((list) => has(list, path)))
      .map(([path]) => `${path}: ${sentence}`);
  }

  private isInForce(list: RevocationList): boolean {
    return this.current.includes(list);
  }

  private isOverdue({ nextUpdate }: RevocationList): boolean {
    return (nextUpdate ?? Infinity) < this.clock.now();
  }

  /**
   * The latest lists of each series count. An older list, or a deleted file, replaces nothing: neither means that
   * a certificate is no longer revoked.
   */
  private adopt(read: ReadonlyMap<string, ListFile>): void {
    const present = [...read.values()].flatMap((file) => file.lists);
    const latest = new Map<string, number>();
    for (const { series, thisUpdate } of [...present, ...this.current]) {
      latest.set(series, Math.max(latest.get(series) ?? thisUpdate, thisUpdate));
    }
    const isLatest = ({ series, thisUpdate }: RevocationList) => latest.get(series) === thisUpdate;
    const found = present.filter(isLatest);
    const replaced = new Set(found.map(({ series }) => series));
    const held = this.current.filter((list) => isLatest(list) && !replaced.has(list.series));
    const lists = [...found, ...held];
    const gone = [...this.files].filter(
      ([path, file]) => !read.has(path) && file.lists.some((list) => held.includes(list)),
    );
    this.files = new Map([...read, ...gone]);
    const isSame =
      lists.length === this.current.length && lists.every((it) => this.current.includes(it));
    if (!isSame) this.current = lists;
  }

  /** Logs each fault once, and again only if it comes back. */
  private warn(faults: readonly string[]): void {
    for (const fault of faults.filter((it) => !this.warned.includes(it))) {
      this.logger.warn(`A revocation list of ${fault}`);
    }
    this.warned = faults;
  }
}
