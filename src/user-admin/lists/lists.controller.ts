import { Body, Delete, Get, Param, Post } from '@nestjs/common';
import type { Request } from 'express';
import { IsString, ValidateIf } from 'class-validator';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { fileSchema } from '../../platform/http/body/multipart.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { ok } from '../../platform/http/ok.js';
import type { Reader } from '../../platform/common/turns/read-turns.js';
import { CurrentReader } from '../../platform/access/limits/current-reader.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllowHere } from '../../platform/access/allow.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import { OptionalDtoPipe } from '../../platform/validation/dto.pipe.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { ensureCovers } from '../../tenancy/scope/visible-tenants.js';
import { problem } from '../../platform/errors/reasons.js';
import { CrossFieldValidator, isPresent } from '../../platform/validation/field-validator.js';
import type { CsvDialect } from '../../platform/pages/csv.js';
import { ForSpreadsheet } from '../../platform/pages/represent.js';
import { UploadsService } from './uploads.service.js';
import { UploadLines } from './upload-lines.js';
import { UploadStore } from './upload-store.js';
import { UploadAnswer } from './upload-answer.js';
import { uploadIdOf } from './upload.entity.js';
import { DeleteUsersJob } from './delete-users-job.js';
import {
  DeletionProgressAnswer,
  DeletionStoppedAnswer,
  ListDeletedAnswer,
  UploadBrokenAnswer,
  UploadedAnswer,
} from './lists.answer.js';

/** Requires either user names or the ID of an uploaded list. */
const AreUsersOrUpload = CrossFieldValidator(
  'areUsersOrUpload',
  (users, { uploadId }: { uploadId?: unknown }) => {
    if ((users === undefined) === (uploadId === undefined)) {
      return problem('list.usersOrUpload');
    }
    if (users === undefined) return undefined;
    const isNames = Array.isArray(users) && users.every((name) => typeof name === 'string');
    return isNames ? undefined : problem('field.userNames', { field: 'users' });
  },
);

/** Body of POST /userapi/deletelistusers, unless the body is the file itself. */
class DeleteListDto {
  @ApiPropertyOptional({
    type: String,
    format: 'binary',
    description: 'file with the list, as multipart/form-data; read while it arrives',
    example: 'alice@example.com\nbert@example.com\n',
  })
  file?: never;

  @ApiPropertyOptional({ type: [String], example: ['anna', 'bert'] })
  @AreUsersOrUpload()
  users?: readonly string[];

  @ApiPropertyOptional({ description: 'ID of a list uploaded before and still kept' })
  @ValidateIf(isPresent)
  @IsString()
  uploadId?: string;
}

const FILE_SCHEMA = fileSchema({
  description: 'one user name per line, or CSV with a column `username`',
  example: 'alice@example.com\nbert@example.com\n',
});

const UPLOAD_ID = {
  example: 'rN8rJ3yQm2c0V8yq1kTz9w',
  description: 'ID of an uploaded list',
};

@ScopedController('userapi', {
  audience: 'help desk',
  parameters: { uploadId: UPLOAD_ID },
  permission: 'users:delete',
})
export class ListsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly store: UploadStore,
    private readonly lines: UploadLines,
    private readonly answers: UploadAnswer,
    private readonly deletion: DeleteUsersJob,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Post('upload')
  @AllowHere('users:read')
  @Operation('uploadList', 'Uploads a list and looks up its users', {
    consumes: ['multipart/form-data'],
    body: FILE_SCHEMA,
    status: 200,
    answers: [UploadedAnswer, UploadBrokenAnswer],
    refuses: ['E0041R', 'E0045R', 'E0048R'],
  })
  async upload(
    @CurrentRequest() file: Request,
    @CurrentAccount() account: Account,
    @CurrentRp() rp: RelyingParty,
    @CurrentReader() reader: Reader,
  ) {
    return this.answers.json(await this.uploads.receive(file, { account, rp }), rp, reader);
  }

  @Post('deletelistusers')
  @Audited(({ body }) => ({ action: 'users.delete-list', target: body?.uploadId }))
  @Operation(
    'deleteList',
    'Deletes the users of a list, given as a file, as `users` or as an `uploadId`',
    {
      consumes: ['multipart/form-data', 'application/json'],
      status: 200,
      answers: ListDeletedAnswer,
      sends: { users: ['alice@example.com'] },
      refuses: ['E0041R', 'E0045R', 'E0048R'],
    },
  )
  async delete(
    @CurrentRequest() request: Request,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
    @Body(OptionalDtoPipe) dto?: DeleteListDto,
  ) {
    const { upload, rp } = await this.listOf(request, dto, parties);
    const uploadId = uploadIdOf(upload);
    call.about({ ...atRelyingParty(rp), target: uploadId });
    ensureCovers(parties.account, ...this.relyingParties.current.withPredecessor(rp));
    const { deletion, ended } = await this.deletion.run(upload, rp, call);
    return ok({ ...deletion, ended, uploadId });
  }

  @Get('deletelistusers/:uploadId')
  @Operation('getListDeletion', 'Shows the progress of the deletion of a list', {
    answers: DeletionProgressAnswer,
    refuses: ['E0045R'],
  })
  async progress(@Param('uploadId') uploadId: string, @CurrentParties() parties: CallParties) {
    const { upload, rp } = await this.stored(uploadId, parties);
    const tally = await this.lines.tally(upload);
    return ok({ uploadId, relyingParty: rp.domain, state: upload.state, ...tally });
  }

  @Get('deletelistusers/:uploadId/result')
  @Operation('getListDeletionResult', 'Returns the result of the deletion for each line, as CSV', {
    alsoTakes: ['format'],
    answers: 'text/csv',
    refuses: ['E0045R'],
  })
  async result(
    @Param('uploadId') uploadId: string,
    @CurrentParties() parties: CallParties,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ) {
    const { upload } = await this.stored(uploadId, parties);
    return this.answers.csv(upload, parties.reader, dialect);
  }

  @Delete('deletelistusers/:uploadId')
  @Audited('users.delete-list.stop', { target: 'uploadId' })
  @Operation('stopListDeletion', 'Stops the deletion of a list after at most 200 more lines', {
    answers: DeletionStoppedAnswer,
    refuses: ['E0045R'],
  })
  async stop(
    @Param('uploadId') uploadId: string,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ) {
    const { upload, rp } = await this.stored(uploadId, parties);
    call.about(atRelyingParty(rp));
    const stopped = await call.commit([this.store.stopStep(upload)], {});
    if (!stopped) call.omitRow();
    return ok({ uploadId, stopped });
  }

  /** @param dto absent if the body is the file itself */
  private async listOf(request: Request, dto: DeleteListDto | undefined, parties: CallParties) {
    if (dto?.uploadId !== undefined) return this.stored(dto.uploadId, parties);
    const owner = { account: parties.account, rp: parties.one() };
    const upload = dto
      ? await this.uploads.keepNames(dto.users ?? [], owner)
      : await this.uploads.receive(request, owner);
    return { upload, rp: owner.rp };
  }

  /**
   * Finds a list that this account uploaded for a relying party that it may see, or for the one that the
   * request names.
   *
   * @throws ApiError E0045R for any other list
   */
  private async stored(uploadId: string, { account, relyingParties }: CallParties) {
    const upload = await this.store.find(uploadId, account);
    const rp = upload && relyingParties.find(({ id }) => id.equals(upload.relyingPartyId));
    if (rp) return { upload, rp };
    throw new ApiError('E0045R', 'list.unknownUpload');
  }
}
