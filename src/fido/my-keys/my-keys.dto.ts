import { IsIn, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsName } from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/rule.js';

/** Query of GET /fidoapi/keys. */
export class MyKeysQuery {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'with an application key: whose; a token says it itself',
  })
  @ValidateIf(isPresent)
  @IsName(code('E0001R'))
  username?: string;
}

/** Body of PATCH /fidoapi/keys/:credentialId. */
export class RenameKeyDto {
  @ApiProperty({ example: 'Blue key in the drawer', description: '1–255 bytes of UTF-8' })
  @IsName(code('E0001R'))
  deviceName!: string;
}

/** Query of DELETE /fidoapi/keys/:credentialId. */
export class DeleteKeyQuery {
  @ApiPropertyOptional({ enum: ['last'], description: 'the last key that can sign in goes too' })
  @ValidateIf(isPresent)
  @IsIn(['last'], code('E0045R'))
  confirm?: 'last';
}
