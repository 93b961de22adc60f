import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { ApiError } from '../../errors/api-error.js';
import { ApiOperation, ApiTags } from '../../http/openapi.js';
import { PlainParametersGuard } from '../../http/parameters.guard.js';
import { Represent } from '../../presentation/represent.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow, AllowChange, AllowHere, OpenToKeys } from '../../security/allow.js';
import { ensureMay } from '../../security/permissions.js';
import { AdminScope } from '../../tenancy/admin-scope.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { manageUsersCsv } from './manage-users.csv.js';
import { ListUsersQuery, ManageUsersDto } from './manage-users.dto.js';
import { ManageUsersService } from './manage-users.service.js';
import { OPERATIONS, neededFor, noteOf } from './operations.js';
import type { Operation } from './operations.js';

interface Call {
  readonly request: Request;
  readonly account: Account;
  readonly note: AuditNote;
}

/** By POST the parameters stand in the body: those of the address would be passed over (E0045R). */
@Injectable()
export class BodyAloneGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<Request>();
    if (!('filter' in query) && neededFor(query) === undefined) return true;
    throw new ApiError('E0045R', 'By POST the parameters stand in the body.');
  }
}

/** The interface's `manageusers`, by GET and by POST, and `/users`. */
@ApiTags('users')
@Allow('users:read')
@OpenToKeys()
@Controller()
export class ManageUsersController {
  constructor(
    private readonly users: ManageUsersService,
    private readonly scope: AdminScope,
  ) {}

  @Get('userapi/manageusers')
  @AllowHere('users:read', 'keys:change', 'users:delete')
  @UseGuards(PlainParametersGuard)
  @AllowChange(neededFor)
  @Audited(({ query }) => noteOf(query))
  @Represent({ csv: ['users', manageUsersCsv] })
  @ApiOperation({ summary: 'Lists or changes users and their credentials' })
  get(
    @Query(DtoPipe) query: ManageUsersDto,
    @Req() request: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    return this.manage(query, { request, account, note });
  }

  @Post('userapi/manageusers')
  @AllowHere('users:read', 'keys:change', 'users:delete')
  @HttpCode(200)
  @UseGuards(PlainParametersGuard, BodyAloneGuard)
  @AllowChange(neededFor)
  @Audited(({ body }) => noteOf(body))
  @ApiOperation({ summary: 'The same, with the parameters in a JSON body' })
  post(
    @Body(DtoPipe) dto: ManageUsersDto,
    @Req() request: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    return this.manage(dto, { request, account, note });
  }

  @Get('users')
  @UseGuards(PlainParametersGuard)
  @Represent({ csv: ['users', manageUsersCsv] })
  @ApiOperation({ summary: 'Lists users and their credentials' })
  list(
    @Query(DtoPipe) query: ListUsersQuery,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ) {
    return this.users.list(this.scope.all(account, request), query);
  }

  private async manage(dto: ManageUsersDto, { request, account, note }: Call) {
    const { type } = dto;
    const { change }: Operation = OPERATIONS[type];
    if (!change) {
      ensureMay(account, 'users:read');
      return this.users.list(this.scope.all(account, request), dto);
    }
    const rp = this.scope.one(account, request);
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain });
    const asked = { type, change, criterion: dto.criterion(), credentialId: dto.credentialId() };
    const answer = await this.users.change(rp, asked, request.requestId);
    const { users, credentials } = answer;
    note.detail = { ...note.detail, users, credentials };
    return answer;
  }
}
