import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { eachInTurn, takeTurn, type Reader } from '../common/turns/read-turns.js';

/** A text that is sent while it is created, piece by piece in the turns of its reader. */
export const textFile = (
  reader: Reader,
  text: AsyncGenerator<string>,
  options?: { readonly type: string; readonly disposition?: string },
): StreamableFile => new StreamableFile(Readable.from(eachInTurn(reader, text)), options);

/** JSON that is sent while it is created, in the turns of its reader. */
export class JsonStream extends StreamableFile {
  /**
   * @param write writes the JSON of an object, with the member `warnings` if there are any; reads nothing before its
   *   first piece is requested
   */
  constructor(
    readonly reader: Reader,
    private readonly write: (warnings: readonly string[]) => AsyncGenerator<string>,
    warnings: readonly string[] = [],
  ) {
    super(Readable.from(eachInTurn(reader, write(warnings))), {
      type: 'application/json; charset=utf-8',
    });
  }

  /** The same JSON with warnings, to be sent in its place. */
  withWarnings(warnings: readonly string[]): JsonStream {
    return new JsonStream(this.reader, this.write, warnings);
  }
}

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
