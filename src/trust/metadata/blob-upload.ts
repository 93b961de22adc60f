import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { receiveFile } from '../../platform/http/body/multipart.js';
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
  if (blob.length === 0) throw new ApiError('E0045R', 'file.missing');
  return blob;
}

async function bodyOf(request: Request): Promise<Buffer> {
  const tooLarge = new ApiError('E0041R', 'metadata.tooLarge');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BLOB_BYTES) throw tooLarge;
  try {
    return await bounded(request);
  } catch (error) {
    throw request.destroyed && !request.complete ? error : tooLarge;
  }
}

function fileOf(request: Request): Promise<Buffer> {
  if (!request.is(FORM)) {
    throw new ApiError('E0048R', 'metadata.contentType', { types: [...RAW, FORM].join(', ') });
  }
  return receiveFile(request, { field: 'file', maxBytes: MAX_BLOB_BYTES }, bounded);
}
