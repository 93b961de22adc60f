import type { Request } from 'express';
import { ApiError } from '../../errors/api-error.js';
import { receiveFile } from '../../http/multipart.js';
import { MAX_BLOB_BYTES, bounded } from './metadata-source.js';

const RAW = ['text/plain', 'application/jose', 'application/octet-stream'];
const FORM = 'multipart/form-data';

/**
 * Reads an uploaded BLOB: the body itself, or the field `file` of a form.
 *
 * @throws ApiError E0041R, E0045R without a file, E0048R for another content type
 */
export async function readBlob(request: Request): Promise<Buffer> {
  const blob = await (request.is(RAW) ? bodyOf(request) : fileOf(request));
  if (blob.length === 0) throw new ApiError('E0045R', 'The upload holds no file.');
  return blob;
}

async function bodyOf(request: Request): Promise<Buffer> {
  const tooLarge = new ApiError('E0041R', 'The BLOB is larger than 32 MiB.');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BLOB_BYTES) throw tooLarge;
  try {
    return await bounded(request);
  } catch (error) {
    throw request.destroyed && !request.complete ? error : tooLarge;
  }
}

function fileOf(request: Request): Promise<Buffer> {
  if (!request.is(FORM)) {
    throw new ApiError('E0048R', `Send the BLOB as ${[...RAW, FORM].join(', ')}.`);
  }
  return receiveFile(request, { field: 'file', maxBytes: MAX_BLOB_BYTES }, bounded);
}
