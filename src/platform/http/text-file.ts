import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { eachInTurn, takeTurn, type Reader } from '../common/turns.js';

/** A text that is sent while it is created, piece by piece in the turns of its reader. */
export const textFile = (
  reader: Reader,
  text: AsyncGenerator<string>,
  options?: { readonly type: string; readonly disposition?: string },
): StreamableFile => new StreamableFile(Readable.from(eachInTurn(reader, text)), options);

/** A CSV file to download, which is sent while it is created. */
export const csvFile = (
  reader: Reader,
  name: string,
  text: AsyncGenerator<string>,
): StreamableFile =>
  textFile(reader, text, {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name}"`,
  });

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
