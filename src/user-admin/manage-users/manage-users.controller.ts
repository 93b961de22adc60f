import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote, AuditedPerson } from '../../audit/audit-trail.js';
import { ApiError } from '../../errors/api-error.js';
import { Refuses } from '../../errors/refusals.js';
import { ForReader, Operation } from '../../http/operation.js';
import { PlainParametersGuard } from '../../http/parameters.guard.js';
import { RequestId } from '../../http/request-context.js';
import { Represent } from '../../presentation/represent.js';
import { Allow, AllowChange, AllowHere, OpenToKeys } from '../../security/allow.js';
import { ensureMay } from '../../security/permissions.js';
import { CurrentScope, Scoped } from '../../tenancy/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope.interceptor.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { ChangeAnswer, ListAnswer } from './manage-users.answer.js';
import { manageUsersCsv } from './manage-users.csv.js';
import { ListUsersQuery, ManageUsersDto } from './manage-users.dto.js';
import { ManageUsersService } from './manage-users.service.js';
import type { ChangedAt } from './manage-users.service.js';
import { OPERATIONS, neededFor, noteOf } from './operations.js';
import type { UserOperation } from './operations.js';

interface Call {
  readonly scope: AdminScope;
  readonly requestId: string;
  readonly note: AuditNote;
}

/** Refuses a POST with parameters in its address (E0045R): they would be ignored, since the body is read. */
@Injectable()
@Refuses('E0045R')
export class BodyAloneGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<Request>();
    if (!('filter' in query) && neededFor(query) === undefined) return true;
    throw new ApiError('E0045R', 'By POST the parameters stand in the body.');
  }
}

/** `manageusers` of the interface, by GET and by POST, and `/users`. */
@ForReader('help desk')
@Scoped()
@Allow('users:read')
@OpenToKeys()
@Controller()
export class ManageUsersController {
  constructor(
    private readonly users: ManageUsersService,
    private readonly directory: TenantDirectory,
  ) {}

  @Get('userapi/manageusers')
  @AllowHere('users:read', 'keys:change', 'users:delete')
  @UseGuards(PlainParametersGuard)
  @AllowChange(neededFor)
  @Audited(({ query }) => noteOf(query))
  @Represent({ csv: ['users', manageUsersCsv] })
  @Operation('manageUsers', 'Lists or changes users and their credentials', {
    answers: [ListAnswer, ChangeAnswer],
    refuses: ['E0044R'],
  })
  get(
    @Query(DtoPipe) query: ManageUsersDto,
    @CurrentScope() scope: AdminScope,
    @RequestId() requestId: string,
    @CurrentNote() note: AuditNote,
  ) {
    return this.manage(query, { scope, requestId, note });
  }

  @Post('userapi/manageusers')
  @AllowHere('users:read', 'keys:change', 'users:delete')
  @HttpCode(200)
  @UseGuards(PlainParametersGuard, BodyAloneGuard)
  @AllowChange(neededFor)
  @Audited(({ body }) => noteOf(body))
  @Operation('postManageUsers', 'The same, with the parameters in a JSON body', {
    answers: [ListAnswer, ChangeAnswer],
    sends: { type: 'list', filter: 'a*', limit: 10 },
    refuses: ['E0044R'],
  })
  post(
    @Body(DtoPipe) dto: ManageUsersDto,
    @CurrentScope() scope: AdminScope,
    @RequestId() requestId: string,
    @CurrentNote() note: AuditNote,
  ) {
    return this.manage(dto, { scope, requestId, note });
  }

  @Get('users')
  @UseGuards(PlainParametersGuard)
  @Represent({ csv: ['users', manageUsersCsv] })
  @Operation('listUsers', 'Lists users and their credentials', { answers: ListAnswer })
  list(@Query(DtoPipe) query: ListUsersQuery, @CurrentScope() scope: AdminScope) {
    return this.users.list(scope.relyingParties, query);
  }

  private async manage(dto: ManageUsersDto, { scope, requestId, note }: Call) {
    const { type } = dto;
    const { change }: UserOperation = OPERATIONS[type];
    if (!change) {
      ensureMay(scope.account, 'users:read');
      return this.users.list(scope.relyingParties, dto);
    }
    const rp = scope.one();
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain });
    const asked = { type, change, criterion: dto.criterion(), credentialId: dto.credentialId() };
    const rps = this.directory.current.withPredecessor(rp);
    const { answer, at } = await this.users.change(rps, asked, requestId);
    const { users, credentials } = answer;
    const { detail } = note;
    note.detail = { ...detail, users, credentials };
    const changed = at.filter((one) => one.users > 0);
    // During a move, each of the two domains has an audit row of its own.
    if (changed.length > 0) note.each = changed.map((one) => rowOf(one, detail));
    return answer;
  }
}

const rowOf = (
  { relyingParty: { tenant, domain }, ...counts }: ChangedAt,
  detail: AuditNote['detail'],
): AuditedPerson => ({ tenant, relyingParty: domain, detail: { ...detail, ...counts } });
