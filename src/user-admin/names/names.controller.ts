import { Body, Controller, Patch, UseGuards } from '@nestjs/common';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import { UserNames } from '../../credentials/user-names.js';
import { UsersByName } from '../../credentials/users-by-name.js';
import { ApiError } from '../../errors/api-error.js';
import { JsonGuard } from '../../http/json-body.js';
import { ok } from '../../http/ok.js';
import { ForReader, Operation } from '../../http/operation.js';
import { Allow, OpenToKeys } from '../../security/allow.js';
import { NamedRelyingParty } from '../../tenancy/named-relying-party.js';
import { CurrentScope, Scoped } from '../../tenancy/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope.interceptor.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { displayNameOf, normalizeName } from '../../validation/names.js';
import { NamesAnswer } from './names.answer.js';
import { ChangeNamesDto } from './names.dto.js';

const NOTHING = 'Name what is to change: "newUsername", "displayName" or both.';
const TAKEN = 'Another user of this relying party has this name.';

/** Renames users, such as after a marriage or for a new e-mail address. */
@ForReader('help desk')
@UseGuards(JsonGuard)
@Allow('users:rename')
@OpenToKeys()
@Scoped()
@Controller('userapi/users')
export class NamesController {
  constructor(
    private readonly relyingParties: NamedRelyingParty,
    private readonly users: UsersByName,
    private readonly names: UserNames,
  ) {}

  @Patch()
  @Audited(({ body }) => ({
    action: 'user.rename',
    relyingParty: body?.relyingParty,
    target: body?.username,
  }))
  @Operation('changeNames', 'Changes the user name or the display name of a user; the keys stay', {
    answers: NamesAnswer,
    refuses: ['E0025R', 'E0044R', 'E0045R'],
  })
  async change(
    @Body(DtoPipe) dto: ChangeNamesDto,
    @CurrentScope() scope: AdminScope,
    @CurrentNote() note: AuditNote,
  ) {
    const { newUsername, displayName } = dto;
    const rp = this.relyingParties.find(dto.relyingParty, scope);
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain });
    if (newUsername === undefined && displayName === undefined) {
      throw new ApiError('E0045R', NOTHING);
    }
    const [user] = await this.users.find(rp, [normalizeName(dto.username)]);
    if (!user) throw new ApiError('E0044R', 'There is no such user.');
    note.target = user.username;
    const names = {
      username: newUsername === undefined ? user.username : normalizeName(newUsername),
      displayName: displayName === undefined ? user.displayName : displayNameOf(displayName),
    };
    note.detail = { before: user.displayName, after: names.displayName, name: names.username };
    const outcome = await this.names.change(user, names);
    if (outcome === 'taken') throw new ApiError('E0045R', TAKEN);
    if (outcome === 'gone') throw new ApiError('E0044R', 'The user was changed at the same time.');
    return ok({ ...names, relyingParty: rp.domain, credentials: user.credentials.length });
  }
}
