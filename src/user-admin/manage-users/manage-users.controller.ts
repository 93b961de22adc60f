import { Body, Get, Post, Query, UseGuards, type StreamableFile } from '@nestjs/common';
import {
  Audited,
  CurrentCall,
  type AuditedCall,
  type AuditedOptions,
} from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { factsOfUser, type FoundUser } from '../../users/user-rows.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import { PlainParametersGuard } from '../../platform/http/body/parameters.guard.js';
import { textFile } from '../../platform/http/text-file.js';
import { csvOf, csvRows } from '../../platform/pages/csv.js';
import { Represent } from '../../platform/pages/represent.js';
import { ensureMay } from '../../platform/access/permissions.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { ensureCovers } from '../../tenancy/scope/visible-tenants.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import {
  ChangeAnswer,
  ListAnswer,
  type CredentialView,
  type UserView,
} from './manage-users.answer.js';
import { ListUsersQuery, ManageUsersDto } from './manage-users.dto.js';
import { ManageUsersService } from './manage-users.service.js';
import { UserListing, WholeList } from './user-listing.js';
import {
  OPERATIONS,
  cutPattern,
  deviceDetail,
  permissionForOperation,
  auditNoteOf,
  type UserOperation,
} from './operations.js';

/** The columns of a list as CSV. */
const COLUMNS = [
  'username',
  'displayName',
  'relyingParty',
  'createdAt',
  'credentialId',
  'deviceName',
  'authenticatorName',
  'aaguid',
  'registrationDate',
  'lastUsed',
  'enabled',
] as const;

/** A call needs one of these permissions. One that changes users or keys needs the permission of its `type`. */
const MANAGING: AuditedOptions = {
  allow: ['users:read', 'keys:change', 'users:delete'],
  change: permissionForOperation,
  guards: [PlainParametersGuard],
};

/** `manageusers` of the interface, by GET and by POST, and `/users`. */
@ScopedController('/', { audience: 'help desk', permission: 'users:read' })
export class ManageUsersController {
  constructor(
    private readonly lists: UserListing,
    private readonly users: ManageUsersService,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Get('userapi/manageusers')
  @Audited(({ query }) => auditNoteOf(query), MANAGING)
  @Represent({ csv: ['users', manageUsersCsv] })
  @Operation('manageUsers', 'Lists or changes users and their keys', {
    description:
      'A call that changes users or keys needs a further permission, which depends on `type`.',
    allowsUnknownNames: true,
    answers: [ListAnswer, ChangeAnswer],
    refuses: ['E0044R'],
  })
  get(
    @Query(DtoPipe) query: ManageUsersDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.manage(query, parties, call);
  }

  @Post('userapi/manageusers')
  @Audited(({ body }) => auditNoteOf(body), MANAGING)
  @Operation(
    'postManageUsers',
    'Lists or changes users like manageUsers, with the parameters in a JSON body',
    {
      status: 200,
      description:
        'A call that changes users or keys needs a further permission, which depends on `type`.',
      answers: [ListAnswer, ChangeAnswer],
      sends: { type: 'list', filter: 'a*', limit: 10 },
      refuses: ['E0044R'],
    },
  )
  post(
    @Body(DtoPipe) dto: ManageUsersDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.manage(dto, parties, call);
  }

  @Get('users')
  @UseGuards(PlainParametersGuard)
  @Represent({ csv: ['users', manageUsersCsv] })
  @Operation('listUsers', 'Lists users with their keys', {
    allowsUnknownNames: true,
    answers: ListAnswer,
  })
  list(@Query(DtoPipe) query: ListUsersQuery, @CurrentParties() parties: CallParties) {
    return this.lists.find(parties.relyingParties, query, parties.reader);
  }

  private async manage(dto: ManageUsersDto, parties: CallParties, call: AuditedCall) {
    const { type } = dto;
    const { change }: UserOperation = OPERATIONS[type];
    if (!change) {
      ensureMay(parties.account, 'users:read');
      return this.lists.find(parties.relyingParties, dto, parties.reader);
    }
    const rp = parties.one();
    call.about(atRelyingParty(rp));
    const filter = dto.filter?.text;
    const detail = deviceDetail(dto.device?.text);
    const row = call.useRowPerChange();
    const request = {
      type,
      change,
      account: parties.account.name,
      requestId: call.requestId,
      criterion: dto.criterion(),
      credentialId: dto.credentialId(),
      audit: (user: FoundUser) =>
        row(factsOfUser(user, { ...patternFor(user, filter), ...detail })),
    };
    ensureCovers(parties.account, ...this.relyingParties.current.withPredecessor(rp));
    const answer = await this.users.change(rp, request);
    const { users, credentials } = answer;
    if (users === 0) await call.commit([], { detail: { ...detail, users, credentials } });
    return answer;
  }
}

const patternFor = ({ username }: FoundUser, filter: string | undefined) =>
  filter === undefined || filter === username ? {} : { filter: cutPattern(filter) };

function manageUsersCsv(answer: ListAnswer | WholeList | ChangeAnswer): string | StreamableFile {
  if ('affected' in answer) return affectedCsv(answer);
  if (answer instanceof WholeList) return textFile(answer.reader, wholeCsv(answer));
  return csvOf(COLUMNS, rowsOf(answer.users));
}

async function* wholeCsv({ slices }: WholeList): AsyncGenerator<string> {
  yield csvRows([COLUMNS]);
  for await (const users of slices) yield csvRows(rowsOf(users));
}

const rowsOf = (users: readonly UserView[]): string[][] =>
  users.flatMap(({ credentials, ...user }) => {
    const keys: readonly Partial<CredentialView>[] = credentials.length > 0 ? credentials : [{}];
    return keys.map((key) => {
      const row = { ...user, ...key };
      return COLUMNS.map((column) => fieldOf(row[column]));
    });
  });

function fieldOf(value: string | boolean | null | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value ?? '';
}

function affectedCsv({ affected }: ChangeAnswer): string {
  const rows = affected.flatMap(({ username, credentialIds }) =>
    credentialIds.length === 0 ? [[username, '']] : credentialIds.map((id) => [username, id]),
  );
  return csvOf(['username', 'credentialId'], rows);
}
