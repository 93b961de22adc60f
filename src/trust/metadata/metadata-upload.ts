import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { receiveFile } from '../../platform/http/body/multipart.js';
import { MetadataRefused } from './metadata-intake.js';
import type { LoadedSource } from './metadata-store.js';
import { MetadataService } from './metadata.service.js';
import { MAX_BLOB_BYTES, readBlob } from './metadata-source.js';

const RAW = ['text/plain', 'application/jose', 'application/octet-stream'];
const FORM = 'multipart/form-data';

/**
 * Reads an uploaded BLOB: the body itself, or the field `file` of a form.
 *
 * @throws ApiError E0041R, E0045R without a file, E0048R for another content type
 */
async function uploadedBlob(request: Request): Promise<Buffer> {
  const blob = await (request.is(RAW) ? bodyOf(request) : fileOf(request));
  if (blob.length === 0) throw new ApiError('E0045R', 'file.missing');
  return blob;
}

async function bodyOf(request: Request): Promise<Buffer> {
  const tooLarge = new ApiError('E0041R', 'metadata.tooLarge');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BLOB_BYTES) throw tooLarge;
  try {
    return await readBlob(request);
  } catch (error) {
    throw request.destroyed && !request.complete ? error : tooLarge;
  }
}

function fileOf(request: Request): Promise<Buffer> {
  if (!request.is(FORM)) {
    throw new ApiError('E0048R', 'metadata.contentType', { types: [...RAW, FORM].join(', ') });
  }
  return receiveFile(request, { field: 'file', maxBytes: MAX_BLOB_BYTES }, readBlob);
}

/** BLOBs that administrators upload to servers without internet access. */
@Injectable()
export class MetadataUpload {
  constructor(private readonly metadata: MetadataService) {}

  /**
   * Stores the uploaded BLOB as the newest of its source, with the same checks as any other.
   *
   * @param named the source, as `GET /userapi/mds` lists it; required if there are several
   * @throws ApiError E0045R if the BLOB is refused, with the reason
   */
  async take(request: Request, named: string | undefined): Promise<LoadedSource> {
    const loaded = this.sourceOf(named);
    const jwt = await uploadedBlob(request);
    try {
      await this.metadata.take(loaded, jwt);
    } catch (error) {
      if (!(error instanceof MetadataRefused)) throw error;
      throw ApiError.of('E0045R', error.problem, { cause: error.cause });
    }
    return loaded;
  }

  private sourceOf(named: string | undefined): LoadedSource {
    const { sources } = this.metadata;
    const candidates =
      named === undefined ? sources : sources.filter(({ source }) => source.label === named);
    const [loaded] = candidates;
    if (loaded && candidates.length === 1) return loaded;
    const labels = sources.map(({ source }) => source.label).join(', ');
    throw new ApiError('E0045R', 'metadata.nameSource', { labels });
  }
}
