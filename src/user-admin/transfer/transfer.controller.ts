import { Controller, Get, Post, Query } from '@nestjs/common';
import { IsIn, IsString } from 'class-validator';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { fileSchema, receiveFile } from '../../platform/http/body/multipart.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { ok } from '../../platform/http/ok.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { Allow } from '../../platform/access/allow.js';
import { LongRequests } from '../../platform/access/limits/long-requests.js';
import { CurrentParties, Scoped, type CallParties } from '../../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { ReadsEmptyAsAbsent, MayBeEmpty } from '../../platform/validation/decorators.js';
import { Exporter } from './exporter.js';
import { Importer } from './importer.js';
import { ImportProgress } from './import-progress.js';
import { ImportReport } from './import-report.js';
import { noTally, type ImportEntity } from './import.entity.js';
import { ImportAnswer, ImportProgressAnswer } from './transfer.answer.js';
import { FORMAT_NAMES, type FormatName } from './formats/transfer-formats.js';

/** Parameters of GET /userapi/export and GET /userapi/import. */
class TransferQuery {
  @ApiPropertyOptional({
    example: 'example.com',
    description: 'domain of the relying party; by default the one in the header',
  })
  @MayBeEmpty()
  @IsString()
  relyingParty?: string;
}

const YES_NO = ['yes', 'no'] as const;

/** Parameters of POST /userapi/import. */
class ImportQuery extends TransferQuery {
  @ApiPropertyOptional({
    enum: FORMAT_NAMES,
    default: 'servicefido',
    description: 'kind of server that produced the file',
  })
  @ReadsEmptyAsAbsent()
  @IsIn(FORMAT_NAMES)
  format: FormatName = 'servicefido';

  @ApiPropertyOptional({
    enum: YES_NO,
    default: 'no',
    description: '`yes` only checks the file and reports what would be stored',
  })
  @ReadsEmptyAsAbsent()
  @IsIn(YES_NO)
  dryRun: (typeof YES_NO)[number] = 'no';

  @ApiPropertyOptional({
    enum: YES_NO,
    default: 'no',
    description:
      '`yes`: sets uvInitialized for keys for which the file does not contain it, if the ' +
      'former server required user verification for every registration',
  })
  @ReadsEmptyAsAbsent()
  @IsIn(YES_NO)
  assumeVerified: (typeof YES_NO)[number] = 'no';
}

/** A file may contain a realm with a million users. */
const FILE = { maxBytes: 4 * 1024 ** 3 };
const FILE_SCHEMA = fileSchema({
  description: 'JSON Lines from an export, or the export of another server',
  example: `{"type":"header","format":"servicefido-users","version":1}
{"type":"user","username":"alice@example.com","displayName":"Alice Example","keys":[]}
{"type":"end","users":1,"keys":0}
`,
});

@ForAudience('administrator')
@Scoped()
@Allow('users:transfer')
@Controller('userapi')
export class TransferController {
  constructor(
    private readonly exporter: Exporter,
    private readonly importer: Importer,
    private readonly progress: ImportProgress,
    private readonly longRequests: LongRequests,
  ) {}

  @Get('export')
  @Audited('users.export')
  @Operation('exportUsers', 'Exports all users of a relying party with their keys, as JSON Lines', {
    answers: 'application/x-ndjson',
    refuses: ['E0025R', 'E0026R'],
  })
  export(
    @Query(DtoPipe) query: TransferQuery,
    @CurrentParties() parties: CallParties,
    @CurrentCall() { about }: AuditedCall,
  ) {
    const rp = parties.named(query.relyingParty);
    about(atRelyingParty(rp));
    return this.exporter.file(rp, parties.reader);
  }

  @Post('import')
  @Audited(({ query }) => ({
    action: query['dryRun'] === 'yes' ? 'users.import.try' : 'users.import',
  }))
  @Operation('importUsers', 'Imports users with their keys from a file; overwrites nothing', {
    status: 200,
    consumes: ['multipart/form-data'],
    body: FILE_SCHEMA,
    takesDryRun: true,
    answers: ImportAnswer,
    refuses: ['E0025R', 'E0026R', 'E0041R', 'E0045R', 'E0048R'],
  })
  async import(
    @Query(DtoPipe) query: ImportQuery,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ImportAnswer> {
    const rp = parties.named(query.relyingParty);
    call.about(atRelyingParty(rp));
    const { format } = query;
    const dryRun = query.dryRun === 'yes';
    const assumeVerified = query.assumeVerified === 'yes';
    const report = new ImportReport();
    const order = { rp, format, dryRun, assumeVerified, call };
    const run = (file: AsyncIterable<Buffer>) => this.importer.run(file, order, report);
    try {
      await this.longRequests.during(call.request, () => receiveFile(call.request, FILE, run));
    } finally {
      call.about({ detail: report.auditDetail(order) });
    }
    const { tally, isComplete: complete, refusals } = report;
    return ok({ relyingParty: rp.domain, format, dryRun, ...tally, complete, refusals });
  }

  @Get('import')
  @Operation('readImport', 'Shows the progress of the last import of a relying party', {
    answers: ImportProgressAnswer,
    refuses: ['E0025R', 'E0026R'],
  })
  async last(
    @Query(DtoPipe) query: TransferQuery,
    @CurrentParties() parties: CallParties,
  ): Promise<ImportProgressAnswer> {
    const rp = parties.named(query.relyingParty);
    const found = await this.progress.last(rp);
    return ok({ relyingParty: rp.domain, ...(found && { import: lastImport(found) }) });
  }
}

const lastImport = ({ source, state, account, beganAt, changedAt, tally }: ImportEntity) => ({
  format: source,
  state,
  account,
  beganAt: new Date(beganAt).toISOString(),
  changedAt: new Date(changedAt).toISOString(),
  ...tally,
  // An import of version 1.0 has not counted the second factors.
  keys: { ...noTally().keys, ...tally.keys },
});
