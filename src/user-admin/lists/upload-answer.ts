import { Injectable, type StreamableFile } from '@nestjs/common';
import type { Reader } from '../../platform/common/turns/read-turns.js';
import { JsonStream, csvFile } from '../../platform/http/text-file.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { UsersByName } from '../../users/users-by-name.js';
import { ENGLISH } from '../../platform/errors/languages/en.js';
import { CATALOGUE } from '../../platform/errors/catalogue.js';
import { codeOfDriverError } from '../../platform/errors/driver-errors.js';
import { csvHeading, csvRows, type CsvDialect } from '../../platform/pages/csv.js';
import { ok } from '../../platform/http/ok.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UploadLines, type StoredLine } from './upload-lines.js';
import { uploadIdOf, type Upload } from './upload.entity.js';

const LINES_PER_STATEMENT = 1000;
const RESULT = ['line', 'username', 'outcome', 'credentials'];

/**
 * Answers about stored lists. They are streamed while the list is read: it may have a million lines and is
 * never held in memory.
 */
@Injectable()
export class UploadAnswer {
  constructor(
    private readonly lines: UploadLines,
    private readonly linked: LinkedUsers,
    private readonly users: UsersByName,
  ) {}

  /**
   * Returns for each line whether its name is a user, then the totals; `status` comes last, since it is
   * not known earlier.
   */
  json(upload: Upload, rp: RelyingParty, reader: Reader): StreamableFile {
    return new JsonStream(reader, (warnings) => this.jsonText(upload, rp, warnings));
  }

  /** Returns the outcome of a deletion for each line, as a CSV file. */
  csv(upload: Upload, reader: Reader, dialect?: CsvDialect): StreamableFile {
    return csvFile(reader, 'deleted-users.csv', this.csvText(upload, dialect));
  }

  private async *jsonText(
    upload: Upload,
    rp: RelyingParty,
    warnings: readonly string[],
  ): AsyncGenerator<string> {
    const totals = { total: 0, found: 0, missing: 0, invalid: 0 };
    const uploadId = uploadIdOf(upload);
    yield '{"users":[';
    try {
      for await (const lines of this.lines.slices(upload, LINES_PER_STATEMENT)) {
        const names = lines.flatMap(({ username }) => username ?? []);
        const counts = await this.linked.count(rp, names);
        const missing = names.filter((name) => !counts.has(name));
        const similar = await this.users.alike(rp, missing);
        const entries = lines.map((line) => entryOf(line, counts, similar));
        yield (
          (totals.total === 0 ? '' : ',') + entries.map((entry) => JSON.stringify(entry)).join()
        );
        totals.total += entries.length;
        for (const entry of entries) {
          if ('invalid' in entry) totals.invalid += 1;
          else if (entry.found) totals.found += 1;
          else totals.missing += 1;
        }
      }
      yield endOf(ok({ ...totals, uploadId, ...(warnings.length > 0 && { warnings }) }));
    } catch (error) {
      const errorCode = codeOfDriverError(error) ?? 'E0050R';
      const [, reason] = CATALOGUE[errorCode];
      yield endOf({ status: 'failed', errorCode, errorMessage: ENGLISH[reason], reason });
    }
  }

  private async *csvText(upload: Upload, dialect?: CsvDialect): AsyncGenerator<string> {
    yield csvHeading(RESULT, dialect);
    for await (const lines of this.lines.slices(upload, LINES_PER_STATEMENT)) {
      yield csvRows(
        lines.map(({ line, username, shown, outcome, credentials }) => [
          line,
          username ?? shown,
          username === undefined ? 'invalid' : (outcome ?? 'left'),
          credentials,
        ]),
        dialect,
      );
    }
  }
}

/** Closes `users` and adds the members that follow it. */
const endOf = (members: object): string => `],${JSON.stringify(members).slice(1)}`;

/** A line in an answer, with `invalid` if it cannot be a user name. */
function entryOf(
  { line, username, shown }: StoredLine,
  counts: ReadonlyMap<string, number>,
  alike: ReadonlyMap<string, string[]>,
) {
  if (username === undefined) {
    return { username: shown, line, found: false, credentials: 0, invalid: true };
  }
  const credentials = counts.get(username);
  if (credentials !== undefined) return { username, line, found: true, credentials };
  const similar = alike.get(username);
  return { username, line, found: false, credentials: 0, ...(similar && { similar }) };
}
