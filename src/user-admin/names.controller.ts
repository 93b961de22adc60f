import { Body, Patch, UseGuards } from '@nestjs/common';
import { IsString, ValidateIf } from 'class-validator';
import type { AuditedUser } from '../audit/audit-trail.js';
import { Audited, CurrentCall, noteRelyingParty, type AuditedCall } from '../audit/audited.js';
import { Moves } from '../users/moves/moves.js';
import { UserRenaming, type NamedUser } from '../users/user-renaming.js';
import type { Names } from '../users/user.entity.js';
import { ApiError } from '../platform/errors/api-error.js';
import { JsonGuard } from '../platform/http/body/json-body.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { Operation } from '../platform/http/openapi/operation.js';
import {
  CurrentScope,
  type AdminScope,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { ensureCovers } from '../tenancy/scope/visible-tenants.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { displayNameOf, normalizeName } from '../platform/validation/values/names.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName } from '../platform/validation/decorators.js';
import { isPresent } from '../platform/validation/field-validator.js';

/** Body of PATCH /userapi/users. */
class ChangeNamesDto {
  @ApiProperty({ example: 'alice@example.com', description: 'current user name' })
  @IsName()
  username!: string;

  @ApiPropertyOptional({
    example: 'localhost',
    description: 'domain of the relying party; by default the one in the header',
  })
  @ValidateIf(isPresent)
  @IsString()
  relyingParty?: string;

  @ApiPropertyOptional({ example: 'alice.smith@example.com', description: 'new user name' })
  @ValidateIf(isPresent)
  @IsName()
  newUsername?: string;

  @ApiPropertyOptional({ example: 'Alice Smith', description: 'new display name' })
  @ValidateIf(isPresent)
  @IsDisplayName()
  displayName?: string;
}

/** Answer of PATCH /userapi/users: the names of the user after the change. */
class NamesAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice.smith@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'Alice Smith' })
  readonly displayName!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 2, description: 'number of keys of the user, which stay unchanged' })
  readonly credentials!: number;
}

/** Renames users, for example after a marriage or for a new e-mail address. */
@UseGuards(JsonGuard)
@ScopedController('userapi/users', { audience: 'help desk', permission: 'users:rename' })
export class NamesController {
  constructor(
    private readonly moves: Moves,
    private readonly names: UserRenaming,
  ) {}

  @Patch()
  @Audited(({ body }) => ({
    action: 'user.rename',
    relyingParty: body?.relyingParty,
    target: body?.username,
  }))
  @Operation(
    'changeNames',
    'Changes the user name or the display name of a user; the keys stay unchanged',
    {
      answers: NamesAnswer,
      refuses: ['E0025R', 'E0044R', 'E0045R', 'E0052R'],
      sends: { username: 'alice@example.com', newUsername: 'alice.cooper@example.com' },
    },
  )
  async change(
    @Body(DtoPipe) dto: ChangeNamesDto,
    @CurrentScope() scope: AdminScope,
    @CurrentCall() { note, rows }: AuditedCall,
  ) {
    const { newUsername, displayName } = dto;
    const rp = scope.named(dto.relyingParty);
    noteRelyingParty(note, rp);
    if (newUsername === undefined && displayName === undefined) {
      throw new ApiError('E0045R', 'user.nothingToChange');
    }
    const other = this.moves.otherDomainOf(rp);
    ensureCovers(scope.account, rp, ...(other ? [other] : []));
    const wanted = {
      ...(newUsername !== undefined && { username: normalizeName(newUsername) }),
      ...(displayName !== undefined && { displayName: displayNameOf(displayName) }),
    };
    const audit = (user: NamedUser) => rows.of(auditedUserOf(user, wanted));
    const renamed = await this.names.change(rp, dto.username, wanted, audit);
    if (!renamed) throw new ApiError('E0044R', 'user.unknown');
    const { users, outcome } = renamed;
    if (outcome === 'taken') throw new ApiError('E0045R', 'user.nameTaken');
    note.each = [];
    const [user] = users;
    const { username = dto.username, displayName: called = '' } = { ...user, ...wanted };
    const credentials = users.reduce((sum, one) => sum + one.credentials.length, 0);
    return ok({ username, displayName: called, relyingParty: rp.domain, credentials });
  }
}

/** The audit row of a user at one relying party: during a move, each of the two domains has its own. */
function auditedUserOf(user: NamedUser, wanted: Partial<Names>): AuditedUser {
  const { tenant, domain } = user.relyingParty;
  const { username: name, displayName: after } = { ...user, ...wanted };
  const detail = { before: user.displayName, after, name };
  return { tenant, relyingParty: domain, target: user.username, detail };
}
