import { Injectable, type StreamableFile } from '@nestjs/common';
import type { Reader } from '../../platform/common/turns.js';
import { textFile } from '../../platform/http/text-file.js';
import { Clock } from '../../platform/common/clock.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { ExportReader } from '../../users/transfer/export-reader.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { withFirstItem } from '../manage-users/whole-list.js';
import { endLine, headerLine, userLine } from './export-lines.js';

/**
 * Writes all users of a relying party as JSON Lines while they are read, so that memory contains one page. If
 * the database fails, the connection is aborted, and the last line is missing.
 */
@Injectable()
export class Exporter {
  constructor(
    private readonly users: ExportReader,
    private readonly clock: Clock,
  ) {}

  /** Returns the whole file; an immediate failure is still answered with its own status. */
  async file(rp: RelyingParty, reader: Reader): Promise<StreamableFile> {
    const day = dayText(this.clock.now());
    const disposition = `attachment; filename="users-${rp.domain}-${day}.jsonl"`;
    const type = 'application/x-ndjson; charset=utf-8';
    return textFile(reader, await withFirstItem(reader, this.text(rp)), { type, disposition });
  }

  /** Yields the lines, one page at a time. */
  async *text(rp: RelyingParty): AsyncGenerator<string> {
    let head = lineOf(headerLine(rp, this.clock.now()));
    let keys = 0;
    let users = 0;
    for await (const page of this.users.of(rp)) {
      yield head + page.map((user) => lineOf(userLine(user))).join('');
      head = '';
      users += page.length;
      keys += page.reduce((sum, user) => sum + user.keys.length, 0);
    }
    yield head + lineOf(endLine(users, keys));
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
