import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { receiveFile } from '../../platform/http/body/multipart.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { LongRequests } from '../../platform/access/limits/long-requests.js';
import { ConcurrencyLimit } from '../../platform/access/limits/concurrency-limit.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { RegisteredNames } from '../../tenancy/usernames/registered-names.js';
import { isKnownName, normalizeName } from '../../platform/validation/values/names.js';
import { readListFile, type ListFileLine } from './list-file.js';
import { UploadCleanup } from './upload-cleanup.js';
import type { StoredLine } from './upload-lines.js';
import { UploadStore } from './upload-store.js';
import type { Upload } from './upload.entity.js';

const FILE = { maxBytes: 64 * 1024 * 1024 };
const MAX_LINES = 1_000_000;
const MAX_SENT = 4;
/** The maximum number of lists of an account: with the size of a file, this limits their bytes. */
const MAX_KEPT = 8;
const LINES_PER_UNIT = 1000;
/** The number of characters that are stored and shown of a line that cannot be a name. */
const SHOWN = 60;

/** The account that owns a list, and the relying party of the list. */
interface ListOwner {
  readonly account: Account;
  readonly rp: RelyingParty;
}

@Injectable()
export class UploadsService {
  private readonly underWay = new ConcurrencyLimit(MAX_SENT, 'lists.tooManyUploads');

  constructor(
    private readonly store: UploadStore,
    private readonly cleanup: UploadCleanup,
    private readonly names: RegisteredNames,
    private readonly relyingParties: RelyingPartyCache,
    private readonly longRequests: LongRequests,
  ) {}

  /**
   * Stores the list of a multipart request while it arrives. A refused or incomplete list is deleted.
   *
   * @throws ApiError E0048R for another content type, E0045R for a file that is not a list, E0041R for one
   *   that is too large, E0040R if the account sends too many at a time
   */
  async receive(request: Request, owner: ListOwner): Promise<Upload> {
    const end = this.underWay.begin(owner.account);
    try {
      const keep = (file: AsyncIterable<Buffer>) => this.keep(readListFile(file), owner);
      return await this.longRequests.during(request, () => receiveFile(request, FILE, keep));
    } finally {
      end();
    }
  }

  keepNames(names: readonly string[], owner: ListOwner): Promise<Upload> {
    return this.keep(
      names.map((text, n) => ({ line: n + 1, text })),
      owner,
    );
  }

  /** Stores the names of users while they are read. */
  keepUsers(
    slices: AsyncIterable<readonly { readonly username: string }[]>,
    owner: ListOwner,
  ): Promise<Upload> {
    return this.keep(linesOf(slices), owner);
  }

  private async keep(
    lines: AsyncIterable<ListFileLine> | Iterable<ListFileLine>,
    { account, rp }: ListOwner,
  ): Promise<Upload> {
    const upload = await this.store.begin(account, rp);
    try {
      let part: StoredLine[] = [];
      let count = 0;
      for await (const line of lines) {
        count += 1;
        if (count > MAX_LINES) {
          throw new ApiError('E0041R', 'list.tooLong');
        }
        part.push(storedLine(line));
        if (part.length === LINES_PER_UNIT) {
          await this.add(upload, rp, part);
          part = [];
        }
      }
      if (count === 0) throw new ApiError('E0045R', 'list.empty');
      await this.add(upload, rp, part);
      await this.store.enter(upload, 'ready');
      // A caller that stores more waits for the deletion, so that the deletion keeps pace.
      if (await this.store.keepNewest(MAX_KEPT, account)) await this.cleanup.runNow();
      return upload;
    } catch (error) {
      await this.store.expire(upload);
      void this.cleanup.runNow();
      throw error;
    }
  }

  /** Adds lines. A name that a user has in another case is stored once, in the user's case. */
  private async add(upload: Upload, rp: RelyingParty, lines: readonly StoredLine[]): Promise<void> {
    const written = lines.map(({ username }) => username ?? '');
    let names = written;
    for (const place of this.relyingParties.current.withPredecessor(rp)) {
      names = await this.names.of(place, names);
    }
    const named = lines.map((line, n) =>
      line.username === undefined ? line : { line: line.line, username: names[n] ?? '' },
    );
    await this.store.add(upload, rp, named);
  }
}

async function* linesOf(
  slices: AsyncIterable<readonly { readonly username: string }[]>,
): AsyncGenerator<ListFileLine> {
  let line = 0;
  for await (const users of slices)
    for (const { username: text } of users) {
      line += 1;
      yield { line, text };
    }
}

/** Trims a name: spreadsheets and copying add white space that is never intended. */
function storedLine({ line, text: written }: ListFileLine): StoredLine {
  const text = written.trim();
  const shown = text.slice(0, SHOWN).toWellFormed();
  return isKnownName(text) ? { line, username: normalizeName(text) } : { line, shown };
}
