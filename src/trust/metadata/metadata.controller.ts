import { basename } from 'node:path';
import {
  Controller,
  Get,
  Injectable,
  Post,
  Query,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { receiveFile } from '../../platform/http/body/multipart.js';
import { ok } from '../../platform/http/ok.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import {
  successBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Represent } from '../../platform/pages/represent.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { MetadataBlob } from '../../webauthn/metadata/blob.js';
import { MetadataAnswer, MetadataUploadedAnswer, type SourceReport } from './metadata.answer.js';
import { MetadataRefused } from './metadata-intake.js';
import { countsOf, MetadataReport, summaryOf } from './metadata-report.js';
import { MAX_BLOB_BYTES, readBlob } from './metadata-source.js';
import type { LoadedSource } from './metadata-store.js';
import { MetadataService } from './metadata.service.js';
import { metadataPage } from './metadata.view.js';

const RAW = ['text/plain', 'application/jose', 'application/octet-stream'];
const FORM = 'multipart/form-data';

/** Query of an upload: the source that the BLOB in the body belongs to. */
class MetadataUploadQuery {
  @ApiPropertyOptional({
    example: 'upload',
    description: 'name of the source, required if there are several',
  })
  @MayBeText()
  source?: string;
}

/** Refuses with E0046R if the server was started without `--mds`. */
@Injectable()
@Refuses('E0046R')
class MetadataGuard implements CanActivate {
  constructor(private readonly metadata: MetadataService) {}

  canActivate(): boolean {
    if (this.metadata.enabled) return true;
    throw new ApiError('E0046R', 'metadata.off');
  }
}

/** Accounts that are limited to tenants need not know where the server keeps its files. */
const withoutFolder = (report: SourceReport): SourceReport =>
  report.kind === 'file' ? { ...report, source: basename(report.source) } : report;

/** Shows the state of the metadata, and accepts uploads. */
@ForAudience('administrator')
@Scoped('nothing')
@UseGuards(MetadataGuard)
@Allow('metadata:change')
@Controller('userapi/mds')
export class MetadataController {
  constructor(
    private readonly report: MetadataReport,
    private readonly metadata: MetadataService,
  ) {}

  @Get()
  @AllowHere('metadata:read')
  @Represent<MetadataAnswer>({ html: ['metadata', metadataPage] })
  @Operation('getMetadata', 'Shows the state and age of the metadata by source', {
    answers: MetadataAnswer,
  })
  show(@CurrentAccount() { tenants }: Account) {
    const all = this.report.sources();
    const sources = tenants ? all.map(withoutFolder) : all;
    return ok({ enabled: true, ...summaryOf(sources), sources });
  }

  @Post()
  @Audited('mds.upload', { allTenants: true })
  @Operation('uploadMetadata', 'Uploads a metadata BLOB, at most 32 MiB', {
    status: 200,
    consumes: ['multipart/form-data', 'application/jose', 'text/plain'],
    body: {
      description: 'metadata BLOB: a JWS',
      schema: {
        type: 'string',
        format: 'binary',
        example: 'eyJhbGciOiJSUzI1NiIsIng1YyI6WyJNSUlG…',
      },
    },
    answers: MetadataUploadedAnswer,
    refuses: ['E0041R', 'E0045R', 'E0048R'],
  })
  async take(@Query(DtoPipe) { source }: MetadataUploadQuery, @CurrentCall() call: AuditedCall) {
    const blob = await this.store(call, source);
    const nextUpdate = dayText(blob.nextUpdate.getTime());
    return ok({ no: blob.no, nextUpdate, ...countsOf(blob) });
  }

  @Post('upload')
  @LeadsToPage()
  @Audited('mds.upload', { allTenants: true })
  async takeForm(
    @Query(DtoPipe) { source }: MetadataUploadQuery,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { no, ...blob } = await this.store(call, source);
    const taken = { no, count: countsOf(blob).entries };
    return { url: '/userapi/mds', banner: successBanner(phrase('models:metadata.done', taken)) };
  }

  /**
   * Checks the uploaded BLOB like one that was fetched, and stores it as the newest of its source.
   *
   * @param named the source, as `GET /userapi/mds` lists it; required if there are several
   * @throws ApiError E0045R if the BLOB is refused, with the reason
   */
  private async store(call: AuditedCall, named: string | undefined): Promise<MetadataBlob> {
    const loaded = this.sourceOf(named);
    const jwt = await uploadedBlob(call.request);
    try {
      return await this.metadata.take(call, loaded, jwt);
    } catch (error) {
      if (!(error instanceof MetadataRefused)) throw error;
      throw ApiError.of('E0045R', error.problem, { cause: error.cause });
    }
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
    const types = [...RAW, FORM].join(', ');
    throw new ApiError('E0048R', 'metadata.contentType', { types }, { headers: { Accept: types } });
  }
  return receiveFile(request, { field: 'file', maxBytes: MAX_BLOB_BYTES }, readBlob);
}
