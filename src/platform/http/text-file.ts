import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { eachInTurn, type Reader } from '../common/turns.js';

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
