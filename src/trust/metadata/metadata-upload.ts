import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { readBlob } from './blob-upload.js';
import { MetadataRefused } from './metadata-intake.js';
import type { BlobStore } from './metadata-intake.js';
import { MetadataService } from './metadata.service.js';

/** BLOBs that administrators upload to servers without internet access. */
@Injectable()
export class MetadataUpload {
  constructor(private readonly metadata: MetadataService) {}

  /**
   * Stores the uploaded BLOB as the newest of its source, with the same checks as any other.
   *
   * @param named the source, as `GET /userapi/mds` lists it; needed where there are several
   * @throws ApiError E0045R when the BLOB is refused, with the reason
   */
  async take(request: Request, named: string | undefined): Promise<BlobStore> {
    const shelf = this.shelf(named);
    const jwt = await readBlob(request);
    try {
      await this.metadata.take(shelf, jwt);
    } catch (error) {
      if (!(error instanceof MetadataRefused)) throw error;
      throw ApiError.of('E0045R', error.problem, { cause: error.cause });
    }
    return shelf;
  }

  private shelf(named: string | undefined): BlobStore {
    const { shelves } = this.metadata;
    const candidates =
      named === undefined ? shelves : shelves.filter(({ source }) => source.label === named);
    const [shelf] = candidates;
    if (shelf && candidates.length === 1) return shelf;
    const labels = shelves.map(({ source }) => source.label).join(', ');
    throw new ApiError('E0045R', 'metadata.nameSource', { labels });
  }
}
