import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { Request } from 'express';
import { ApiError } from '../../errors/api-error.js';

/** The schema of an upload's body for the OpenAPI document: an object with the file. */
export const fileSchema = (file: { readonly description: string; readonly example: string }) => ({
  schema: {
    type: 'object',
    properties: { file: { type: 'string', format: 'binary', ...file } },
  },
});

interface ExpectedFile {
  /** Name of its form field; if absent, any name. */
  readonly field?: string;
  readonly maxBytes: number;
}

/** Other fields are ignored, but their number and size are limited. */
const OTHERS = { fields: 20, parts: 25, fieldSize: 4096, fieldNameSize: 100 };
const HEADERS = { headerPairs: 20, headerSize: 8192 };
/** Maximum size of a body without the file, in bytes. */
const OVERHEAD = 256 * 1024;

/**
 * Reads a multipart body with one file while it arrives; nothing is stored. The name and type of the file are ignored.
 *
 * @param read consumes the file's bytes; it must read all of them or throw
 * @throws ApiError E0048R for another content type, E0045R for a body that is malformed or truncated or contains
 *   another file or none, E0041R for a file that is too large; or the error of `read`, which has ended by then
 */
export async function receiveFile<T>(
  request: Request,
  expected: ExpectedFile,
  read: (file: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const parser = parserFor(request, expected);
  let file: Readable | undefined;
  let reading: Promise<T> | undefined;
  let received = 0;
  const body = new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > expected.maxBytes + OVERHEAD) reject(new ApiError('E0041R'));
    });
    parser.on('file', (field, stream) => {
      // The parser reports a truncated part as an error of the file's stream, which may have no reader.
      stream.on('error', reject);
      if (reading || !field || (expected.field ?? field) !== field) {
        stream.resume();
        reject(notOneFile(expected));
        return;
      }
      if (received > OVERHEAD) reject(new ApiError('E0045R', 'file.late'));
      file = stream;
      stream.on('limit', () => reject(new ApiError('E0041R')));
      reading = read(stream);
      reading.catch(reject);
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
      parser.on(limit, () => reject(new ApiError('E0045R', 'file.tooManyParts')));
    }
    parser.on('finish', resolve);
    parser.on('error', reject);
    request.on('error', reject);
    request.on('close', () => !request.readableEnded && reject(cutOff()));
    // The caller may have disconnected while guards ran: no event follows then.
    if (request.destroyed) reject(cutOff());
    request.pipe(parser);
  });
  try {
    await body;
    if (!reading) throw noFile(expected);
    return await reading;
  } catch (error) {
    request.unpipe(parser);
    request.resume();
    const givenUp = new Error('The upload was given up.');
    file?.destroy(givenUp);
    // A reader that fails aborts the file: its own error is the cause, for example that of the database.
    const cause = await reading?.then(
      () => error,
      (other: unknown) => (other === givenUp ? error : other),
    );
    throw refusalOf(cause ?? error);
  }
}

const notOneFile = ({ field }: ExpectedFile): ApiError =>
  field === undefined
    ? new ApiError('E0045R', 'file.oneOnly')
    : new ApiError('E0045R', 'file.oneOnlyIn', { field });

const noFile = ({ field }: ExpectedFile): ApiError =>
  field === undefined
    ? new ApiError('E0045R', 'file.needed')
    : new ApiError('E0045R', 'file.neededIn', { field });

const cutOff = (cause?: unknown): ApiError => new ApiError('E0045R', 'file.cut', {}, { cause });

function parserFor(request: Request, { maxBytes }: ExpectedFile) {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw ApiError.unsupportedType('request.notMultipart', 'multipart/form-data');
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + OVERHEAD) {
    request.resume();
    throw new ApiError('E0041R');
  }
  try {
    const limits = { ...OTHERS, ...HEADERS, files: 1, fileSize: maxBytes };
    return new Busboy({ headers: request.headers as BusboyHeaders, limits });
  } catch (cause) {
    throw cutOff(cause);
  }
}

/** An error that is not one of our refusals and has no code, unlike the database's, comes from the parser. */
function refusalOf(error: unknown): unknown {
  const known = error instanceof ApiError || (error instanceof Error && 'code' in error);
  return known ? error : cutOff(error);
}
