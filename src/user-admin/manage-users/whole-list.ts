import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { eachInTurn, takeTurn, type Reader } from '../../platform/common/turns.js';
import type { UserView } from './manage-users.answer.js';

type Pages = AsyncIterable<readonly UserView[]>;

/**
 * All matching users as JSON, streamed while they are read, so that memory contains one page. Reading stops
 * when the caller disconnects. If the database fails, the connection is aborted, so that callers do not take a
 * part for the whole. `total` follows the users, since it is counted on the way.
 */
export class WholeList extends StreamableFile {
  /** @param pages read once: as JSON, or by the writer of another format */
  constructor(
    readonly pages: Pages,
    readonly reader: Reader,
  ) {
    super(Readable.from(eachInTurn(reader, jsonOf(pages))), {
      type: 'application/json; charset=utf-8',
    });
  }
}

async function* jsonOf(pages: Pages): AsyncGenerator<string> {
  let total = 0;
  yield '{"status":"ok","errorMessage":"","users":[';
  for await (const users of pages) {
    const separator = total === 0 || users.length === 0 ? '' : ',';
    // A line end for each page, including empty ones, shows that a long search is in progress.
    yield `${separator}${users.map((user) => JSON.stringify(user)).join()}\n`;
    total += users.length;
  }
  yield `],"total":${total},"next":null}`;
}

/**
 * Returns the same items with the first one already read: an immediate failure is still answered with its own
 * status.
 */
export async function withFirstItem<T>(
  reader: Reader,
  items: AsyncGenerator<T>,
): Promise<AsyncGenerator<T>> {
  const first = await takeTurn(reader, () => items.next());
  return rest(first, items);
}

async function* rest<T>(first: IteratorResult<T>, items: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  try {
    yield first.value;
    yield* items;
  } finally {
    await items.return(undefined);
  }
}
