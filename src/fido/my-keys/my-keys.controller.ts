import {
  Body,
  Delete,
  Get,
  Param,
  Patch,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { IsIn, ValidateIf } from 'class-validator';
import { UnknownNamesInterceptor } from '../../platform/access/unknown-names.interceptor.js';
import { DryRunGuard } from '../../platform/http/body/parameters.guard.js';
import { ok } from '../../platform/http/ok.js';
import {
  ApiBearerAuth,
  ApiProperty,
  ApiPropertyOptional,
} from '../../platform/http/openapi/openapi.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { FidoApi } from '../fido-api.js';
import { CREDENTIAL_ID } from '../ceremonies/ceremony.answer.js';
import { IsKnownName, IsName } from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/field-validator.js';
import { CurrentKeyCall, type KeyCall } from './key-owner.js';
import {
  DeletedKeyAnswer,
  MyKeyAnswer,
  MyKeysAnswer,
  RenamedKeyAnswer,
  ReportedKeyAnswer,
} from './my-keys.answer.js';
import { MyKeys } from './my-keys.js';

class MyKeysQuery {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'user name, needed with an application key; a token already identifies the user',
  })
  @ValidateIf(isPresent)
  @IsKnownName(code('E0001R'))
  username?: string;
}

/** Body of PATCH /fidoapi/keys/:credentialId. */
class RenameKeyDto {
  @ApiProperty({
    example: 'Blue key in the drawer',
    description:
      'new name, 1–255 bytes of UTF-8; a number follows if another key of the user has it',
  })
  @IsName(code('E0001R'))
  deviceName!: string;
}

class DeleteKeyQuery {
  @ApiPropertyOptional({
    enum: ['last'],
    description: '`last` permits deleting the last key that can sign in',
  })
  @ValidateIf(isPresent)
  @IsIn(['last'])
  confirm?: 'last';
}

/** Calls with which users list, rename, delete and report their own keys. */
@ApiBearerAuth()
@UseGuards(DryRunGuard)
@UseInterceptors(UnknownNamesInterceptor)
@FidoApi('fidoapi/keys', {
  credentialId: { example: CREDENTIAL_ID, description: 'credential ID in Base64URL' },
})
export class MyKeysController {
  constructor(private readonly keys: MyKeys) {}

  @Get()
  @Operation('listMyKeys', 'Lists the keys of the user who signed in', {
    description:
      'Needs any token of this relying party, or an application key with the permission ' +
      'ceremonies and `username`.',
    answers: MyKeysAnswer,
    allowsUnknownNames: true,
    refuses: ['E0001R', 'E0033R', 'E0042R'],
  })
  async list(
    @CurrentRp() rp: RelyingParty,
    @CurrentKeyCall() call: KeyCall,
    @Query(DtoPipe) { username }: MyKeysQuery,
  ) {
    return ok(await this.keys.list(rp, call, username));
  }

  @Get(':credentialId')
  @Operation('readMyKey', 'Shows a key of the user who signed in', {
    description:
      'Needs any token of this relying party, or an application key with the permission ' +
      'ceremonies and `username`.',
    answers: MyKeyAnswer,
    allowsUnknownNames: true,
    refuses: ['E0001R', 'E0033R', 'E0042R'],
  })
  async read(
    @CurrentRp() rp: RelyingParty,
    @CurrentKeyCall() call: KeyCall,
    @Param('credentialId') credentialId: string,
    @Query(DtoPipe) { username }: MyKeysQuery,
  ) {
    return ok(await this.keys.read(rp, call, credentialId, username));
  }

  @Patch(':credentialId')
  @Operation('renameMyKey', 'Renames a key of the user who signed in', {
    description: 'Needs a token of a verified sign-in that is at most five minutes old.',
    answers: RenamedKeyAnswer,
    refuses: ['E0033R', 'E0042R', 'E0043R'],
  })
  async rename(
    @CurrentRp() rp: RelyingParty,
    @CurrentKeyCall() call: KeyCall,
    @Param('credentialId') credentialId: string,
    @Body(DtoPipe) { deviceName }: RenameKeyDto,
  ) {
    return ok(await this.keys.rename(rp, call, credentialId, deviceName));
  }

  @Delete(':credentialId')
  @Operation('deleteMyKey', 'Deletes a key of the user who signed in', {
    description:
      'Needs a token of a verified sign-in that is at most five minutes old. The last key ' +
      'that can sign in needs `confirm=last`.',
    answers: DeletedKeyAnswer,
    refuses: ['E0033R', 'E0034R', 'E0042R', 'E0043R', 'E0045R'],
  })
  async delete(
    @CurrentRp() rp: RelyingParty,
    @CurrentKeyCall() call: KeyCall,
    @Param('credentialId') credentialId: string,
    @Query(DtoPipe) { confirm }: DeleteKeyQuery,
  ) {
    return ok(await this.keys.delete(rp, call, credentialId, confirm));
  }

  @Post(':credentialId/report')
  @Operation('reportMyKey', 'Reports a key that the user did not add', {
    status: 200,
    description:
      'Needs a token of a verified sign-in that is at most five minutes old, with another key. ' +
      'The key is disabled until an account enables it, and `/userapi/findings` lists it. ' +
      'A repeated call changes nothing more.',
    answers: ReportedKeyAnswer,
    refuses: ['E0033R', 'E0034R', 'E0042R', 'E0043R', 'E0045R'],
  })
  async report(
    @CurrentRp() rp: RelyingParty,
    @CurrentKeyCall() call: KeyCall,
    @Param('credentialId') credentialId: string,
  ) {
    return ok(await this.keys.report(rp, call, credentialId));
  }
}
