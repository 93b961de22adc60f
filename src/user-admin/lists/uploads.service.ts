import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../errors/api-error.js';
import { receiveFile } from '../../http/multipart.js';
import type { Account } from '../../security/account.js';
import { LongRequests } from '../../security/long-requests.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { RegisteredNames } from '../../tenancy/usernames/registered-names.js';
import { isName, normalizeName } from '../../validation/names.js';
import { readListFile } from './list-file.js';
import type { Line } from './list-file.js';
import { UploadCleanup } from './upload-cleanup.js';
import { UploadStore } from './upload-store.js';
import type { StoredLine, Upload } from './upload-store.js';

const FILE = { maxBytes: 64 * 1024 * 1024 };
const MAX_LINES = 1_000_000;
/** Lines of one unit. */
const BATCH = 1000;
/** Characters that are shown of a line that is no name. */
const SHOWN = 60;

/** Whose list it is and for which relying party. */
export interface Owner {
  readonly account: Account;
  readonly rp: RelyingParty;
}

/** Receives lists of user names. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly store: UploadStore,
    private readonly cleanup: UploadCleanup,
    private readonly names: RegisteredNames,
    private readonly directory: TenantDirectory,
    private readonly longRequests: LongRequests,
  ) {}

  /**
   * Stores the list of a multipart request, as it arrives. What is refused or cut off leaves nothing.
   *
   * @throws ApiError E0048R, E0045R for what is no list, E0041R for too much of one
   */
  receive(request: Request, owner: Owner): Promise<Upload> {
    const keep = (file: AsyncIterable<Buffer>) => this.keep(readListFile(file), owner);
    return this.longRequests.during(request, () => receiveFile(request, FILE, keep));
  }

  /** Stores a list of names that is there already. */
  keepNames(names: readonly string[], owner: Owner): Promise<Upload> {
    return this.keep(
      names.map((text, n) => ({ line: n + 1, text })),
      owner,
    );
  }

  private async keep(
    lines: AsyncIterable<Line> | Iterable<Line>,
    { account, rp }: Owner,
  ): Promise<Upload> {
    const upload = await this.store.begin(account, rp);
    try {
      let batch: StoredLine[] = [];
      let count = 0;
      for await (const line of lines) {
        count += 1;
        if (count > MAX_LINES) {
          throw new ApiError('E0041R', 'A list has at most 1,000,000 names.');
        }
        batch.push(storedLine(line));
        if (batch.length === BATCH) {
          await this.add(upload, rp, batch);
          batch = [];
        }
      }
      if (count === 0) throw new ApiError('E0045R', 'The list holds no user name.');
      await this.add(upload, rp, batch);
      await this.store.enter(upload, 'ready', 'done');
      return upload;
    } catch (error) {
      await this.store.expire(upload);
      void this.cleanup.sweep();
      throw error;
    }
  }

  /** A name that somebody has in another case stands in the list as it is registered, once. */
  private async add(upload: Upload, rp: RelyingParty, lines: readonly StoredLine[]): Promise<void> {
    const written = lines.map(({ username }) => username ?? '');
    let names = written;
    for (const place of this.directory.current.withPredecessor(rp)) {
      names = await this.names.of(place, names);
    }
    const named = lines.map((line, n) =>
      line.username === undefined ? line : { line: line.line, username: names[n] ?? '' },
    );
    await this.store.add(upload, named);
  }
}

/** White space around a name is nobody's wish: spreadsheets and copying bring it. */
function storedLine({ line, text: written }: Line): StoredLine {
  const text = written.trim();
  const shown = text.slice(0, SHOWN).toWellFormed();
  return isName(text) ? { line, username: normalizeName(text) } : { line, shown };
}
