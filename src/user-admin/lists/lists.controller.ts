import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import type { Request } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { ApiError } from '../../errors/api-error.js';
import { ok } from '../../http/ok.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow, AllowHere, OpenToKeys } from '../../security/allow.js';
import { AdminScope } from '../../tenancy/admin-scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { isObject } from '../../validation/field.js';
import { ListDeletion } from './list-deletion.js';
import { UploadAnswer } from './upload-answer.js';
import { UploadStore } from './upload-store.js';
import type { Upload } from './upload-store.js';
import { UploadsService } from './uploads.service.js';

const FILE_SCHEMA = {
  schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
};

interface Caller {
  readonly request: Request;
  readonly account: Account;
}

/** Lists of users from files: what is known of them, and their deletion. */
@ApiTags('users')
@Allow('users:delete')
@OpenToKeys()
@Controller('userapi')
export class ListsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly store: UploadStore,
    private readonly answers: UploadAnswer,
    private readonly deletion: ListDeletion,
    private readonly scope: AdminScope,
  ) {}

  @Post('upload')
  @AllowHere('users:read')
  @HttpCode(200)
  @ApiOperation({ summary: 'Looks up the users of a list' })
  @ApiConsumes('multipart/form-data')
  @ApiBody(FILE_SCHEMA)
  async upload(@Req() request: Request, @CurrentAccount() account: Account) {
    const rp = this.scope.one(account, request);
    return this.answers.json(await this.uploads.receive(request, { account, rp }), rp);
  }

  @Post('deletelistusers')
  @Audited(({ body }) => ({
    action: 'users.delete-list',
    target: isObject(body) ? (body['uploadId'] as string | undefined) : undefined,
  }))
  @HttpCode(200)
  @ApiOperation({ summary: 'Deletes the users of a list: a file, `users` or an `uploadId`' })
  @ApiConsumes('multipart/form-data', 'application/json')
  @ApiBody(FILE_SCHEMA)
  async delete(
    @Req() request: Request,
    @CheckedBody() body: unknown,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    const { upload, rp } = await this.listOf({ request, account }, body);
    const uploadId = upload.id.toString('base64url');
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain, target: uploadId });
    const result = await this.deletion.run(upload, rp, request.requestId);
    note.detail = { ...result };
    return ok({ ...result, uploadId });
  }

  @Get('deletelistusers/:uploadId')
  @ApiOperation({ summary: 'How far the deletion of a list is' })
  async progress(
    @Req() request: Request,
    @Param('uploadId') uploadId: string,
    @CurrentAccount() account: Account,
  ) {
    const { upload, rp } = await this.stored({ request, account }, uploadId);
    const tally = await this.store.tally(upload);
    return ok({ uploadId, relyingParty: rp.domain, state: upload.state, ...tally });
  }

  @Get('deletelistusers/:uploadId/result')
  @ApiOperation({ summary: 'What the deletion made of each line, as CSV' })
  async result(
    @Req() request: Request,
    @Param('uploadId') uploadId: string,
    @CurrentAccount() account: Account,
  ) {
    const { upload } = await this.stored({ request, account }, uploadId);
    return this.answers.csv(upload);
  }

  @Delete('deletelistusers/:uploadId')
  @Audited(({ params }) => ({
    action: 'users.delete-list.stop',
    target: params['uploadId'] as string | undefined,
  }))
  @ApiOperation({ summary: 'Stops the deletion of a list after the batch under way' })
  async stop(
    @Req() request: Request,
    @Param('uploadId') uploadId: string,
    @CurrentAccount() account: Account,
  ) {
    const { upload } = await this.stored({ request, account }, uploadId);
    return ok({ uploadId, stopped: await this.store.enter(upload, 'stopped', 'done') });
  }

  /** The list of a request: in its file, in its body, or uploaded before. */
  private async listOf(
    caller: Caller,
    body: unknown,
  ): Promise<{ upload: Upload; rp: RelyingParty }> {
    const { request, account } = caller;
    if (body === undefined) {
      const rp = this.scope.one(account, request);
      return { upload: await this.uploads.receive(request, { account, rp }), rp };
    }
    if (!isObject(body)) throw new ApiError('E0001R');
    const { users, uploadId } = body;
    if ((users === undefined) === (uploadId === undefined)) {
      throw new ApiError('E0045R', 'Send a file, or "users", or an "uploadId".');
    }
    if (uploadId !== undefined) return this.stored(caller, uploadId);
    if (!Array.isArray(users) || !users.every((name) => typeof name === 'string')) {
      throw new ApiError('E0045R', '"users" must be an array of texts.');
    }
    const rp = this.scope.one(account, request);
    return { upload: await this.uploads.keepNames(users, { account, rp }), rp };
  }

  /**
   * A list uploaded before, by this account, for a relying party that it may see; for the one that
   * the request names, where it names one.
   *
   * @throws ApiError E0045R for any other
   */
  private async stored({ request, account }: Caller, uploadId: unknown) {
    const upload =
      typeof uploadId === 'string' ? await this.store.find(uploadId, account) : undefined;
    const rp =
      upload && this.scope.all(account, request).find(({ id }) => id.equals(upload.relyingPartyId));
    if (rp) return { upload, rp };
    throw new ApiError('E0045R', '"uploadId" must be that of a list that you uploaded lately.');
  }
}
