import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { UserView } from './manage-users.answer.js';

type Pages = AsyncIterable<readonly UserView[]>;

/**
 * All users that match, as JSON that is written while they are read: memory holds one page, whoever
 * goes away ends the reading, and where the database fails on the way the connection is cut off, so
 * that a part is never taken for the whole. `total` stands behind the users, and is how many there are.
 */
export class WholeList extends StreamableFile {
  /** @param pages read once: as JSON, or by whoever writes another form */
  constructor(readonly pages: Pages) {
    super(Readable.from(jsonOf(pages)), { type: 'application/json; charset=utf-8' });
  }
}

async function* jsonOf(pages: Pages): AsyncGenerator<string> {
  let total = 0;
  yield '{"status":"ok","errorMessage":"","users":[';
  for await (const users of pages) {
    const separator = total === 0 || users.length === 0 ? '' : ',';
    // A line end says during a long search that it still goes on.
    yield `${separator}${users.map((user) => JSON.stringify(user)).join()}\n`;
    total += users.length;
  }
  yield `],"total":${total},"next":null}`;
}

/**
 * The same items, of which the first has been read: what fails at once is still answered with its
 * own status.
 */
export async function begun<T>(items: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await items.next();
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
