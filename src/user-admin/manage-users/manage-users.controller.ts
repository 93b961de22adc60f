import { Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import type { Request } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { ApiError } from '../../errors/api-error.js';
import { Represent } from '../../presentation/represent.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { refuseCrossSite } from '../../security/cross-site.guard.js';
import { ensureMay } from '../../security/permissions.js';
import { AdminScope } from '../../tenancy/admin-scope.js';
import { isObject } from '../../validation/field.js';
import { manageUsersCsv } from './manage-users.csv.js';
import { ApiListQuery, ApiManageUsersQuery, manageUsersBody } from './manage-users.openapi.js';
import { operationOf, readRequest } from './manage-users.params.js';
import { ManageUsersService } from './manage-users.service.js';

/** Begins the audit note of a changing call; listing leaves no row. */
function noteOf(source: unknown): AuditNote | undefined {
  const { action } = operationOf(source) ?? {};
  const { filter, device } = isObject(source) ? source : {};
  if (action === undefined) return undefined;
  const detail = typeof device === 'string' ? { device: device.slice(0, 300) } : undefined;
  return { action, target: filter as string | undefined, detail };
}

/** The interface's `manageusers`, by GET and by POST, and `/users`. */
@ApiTags('users')
@Allow('users:read')
@Controller()
export class ManageUsersController {
  constructor(
    private readonly users: ManageUsersService,
    private readonly scope: AdminScope,
  ) {}

  @Get('userapi/manageusers')
  @Audited(({ query }) => noteOf(query))
  @Represent({ csv: ['users', manageUsersCsv] })
  @ApiOperation({ summary: 'Lists or changes users and their credentials' })
  @ApiManageUsersQuery()
  get(
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    refuseBrokenText(query, request);
    return this.manage(query, { request, account, note });
  }

  @Post('userapi/manageusers')
  @HttpCode(200)
  @Audited(({ body }) => noteOf(body))
  @ApiOperation({ summary: 'The same, with the parameters in a JSON body' })
  @ApiBody({ schema: manageUsersBody })
  post(
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    if (body === undefined) throw new ApiError('E0048R');
    if (!isObject(body)) throw new ApiError('E0001R');
    if (operationOf(request.query)?.action !== undefined || 'filter' in request.query) {
      throw new ApiError('E0045R', 'By POST the parameters stand in the body.');
    }
    return this.manage(body, { request, account, note });
  }

  @Get('users')
  @Represent({ csv: ['users', manageUsersCsv] })
  @ApiOperation({ summary: 'Lists users and their credentials' })
  @ApiListQuery()
  list(
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ) {
    refuseBrokenText(query, request);
    const asked = readRequest(query);
    if (asked.type !== 'list') throw new ApiError('E0045R', 'This path only lists.');
    return this.users.list(this.scope.all(account, request), asked);
  }

  private manage(
    source: Readonly<Record<string, unknown>>,
    { request, account, note }: { request: Request; account: Account; note: AuditNote },
  ) {
    const operation = operationOf(source);
    if (operation?.change) {
      refuseCrossSite(request);
      ensureMay(account, operation.needs);
    }
    const asked = readRequest(source);
    if (asked.type === 'list') return this.users.list(this.scope.all(account, request), asked);
    const rp = this.scope.one(account, request);
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain });
    return this.users.change(rp, asked, request.requestId).then((answer) => {
      const { users, credentials } = answer;
      note.detail = { ...note.detail, users, credentials };
      return answer;
    });
  }
}

/** Node reads escapes that are no UTF-8 as U+FFFD, which would be another name than was meant. */
function refuseBrokenText(query: Readonly<Record<string, unknown>>, { url }: Request): void {
  const replaced = Object.values(query)
    .flat()
    .some((value) => `${String(value)}`.includes('\uFFFD'));
  if (replaced && !/%EF%BF%BD/i.test(url)) {
    throw new ApiError('E0045R', 'The parameters must be UTF-8.');
  }
}
