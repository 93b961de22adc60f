import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { eachInTurn, inTurn, type Reader } from '../../platform/common/turns.js';
import type { UserView } from './manage-users.answer.js';

type Pages = AsyncIterable<readonly UserView[]>;

/**
 * All users that match, as JSON that is written while they are read, so that memory holds one page. A caller
 * who goes away ends the reading. Where the database fails on the way, the connection is cut off, so that
 * nobody takes a part for the whole. `total` comes after the users, since it is counted meanwhile.
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
    // A line end for each page, empty ones too, shows that a long search still goes on.
    yield `${separator}${users.map((user) => JSON.stringify(user)).join()}\n`;
    total += users.length;
  }
  yield `],"total":${total},"next":null}`;
}

/** The same items, with the first one read already: a failure at once is still answered with its own status. */
export async function begun<T>(
  reader: Reader,
  items: AsyncGenerator<T>,
): Promise<AsyncGenerator<T>> {
  const first = await inTurn(reader, () => items.next());
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
