import { Controller, Get, Injectable, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import type { CanActivate } from '@nestjs/common';
import type { Request } from 'express';
import { Audited } from '../../audit/audited.js';
import { ApiError } from '../../errors/api-error.js';
import { Refuses } from '../../errors/refusals.js';
import { FileBody } from '../../http/multipart.js';
import { ok } from '../../http/ok.js';
import { ApiBody, ApiConsumes, ApiExcludeEndpoint } from '../../http/openapi.js';
import { ForReader, Operation } from '../../http/operation.js';
import { done } from '../../presentation/banner.js';
import type { Led } from '../../presentation/banner.js';
import { phrase } from '../../presentation/languages/phrase.js';
import { LeadsToPage } from '../../presentation/leads-to.js';
import { Represent } from '../../presentation/represent.js';
import { AllTenants, Allow, AllowHere } from '../../security/allow.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { MetadataAnswer, MetadataUploadedAnswer } from './metadata.answer.js';
import { MetadataUploadQuery } from './metadata.dto.js';
import { metadataPage } from './metadata.page.js';
import { MetadataReport } from './metadata-report.js';
import { MetadataService } from './metadata.service.js';
import { MetadataUpload } from './metadata-upload.js';

/** Refuses with E0046R where the server was started without `--mds`. */
@Injectable()
@Refuses('E0046R')
export class MetadataGuard implements CanActivate {
  constructor(private readonly metadata: MetadataService) {}

  canActivate(): boolean {
    if (this.metadata.enabled) return true;
    throw new ApiError(
      'E0046R',
      'FIDO metadata is off: start the server with --mds and a file, a URL or "upload".',
    );
  }
}

/** Shows the state of the metadata, and accepts uploads. */
@ForReader('administrator')
@UseGuards(MetadataGuard)
@Allow('metadata:change')
@Controller('userapi/mds')
export class MetadataController {
  constructor(
    private readonly report: MetadataReport,
    private readonly upload: MetadataUpload,
  ) {}

  @Get()
  @AllowHere('metadata:read')
  @Represent<MetadataAnswer>({ html: ['metadata', metadataPage] })
  @Operation('getMetadata', 'State and age of the metadata, by source', {
    answers: MetadataAnswer,
  })
  show() {
    return ok({ enabled: true, ...this.report.summary(), sources: this.report.sources() });
  }

  @Post()
  @HttpCode(200)
  @AllTenants()
  @Audited('mds.upload')
  @Operation('uploadMetadata', 'Uploads a metadata BLOB, at most 32 MiB', {
    answers: MetadataUploadedAnswer,
    refuses: ['E0041R', 'E0045R', 'E0048R'],
  })
  @ApiConsumes('application/jose', 'text/plain', 'multipart/form-data')
  @ApiBody({ description: 'the BLOB: a JWS', schema: { type: 'string', format: 'binary' } })
  async take(@FileBody() file: Request, @Query(DtoPipe) { source }: MetadataUploadQuery) {
    const { state, blob } = await this.upload.take(file, source);
    const nextUpdate = new Date(state.nextUpdate).toISOString().slice(0, 10);
    return ok({ no: state.no, nextUpdate, entries: blob?.entries.length ?? 0 });
  }

  @Post('upload')
  @LeadsToPage()
  @AllTenants()
  @Audited('mds.upload')
  @ApiExcludeEndpoint()
  async takeForm(
    @FileBody() file: Request,
    @Query(DtoPipe) { source }: MetadataUploadQuery,
  ): Promise<Led> {
    const { state, blob } = await this.upload.take(file, source);
    const taken = { no: state.no, count: blob?.entries.length ?? 0 };
    return { url: '/userapi/mds', banner: done(phrase('models:metadata.done', taken)) };
  }
}
