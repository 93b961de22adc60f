import { IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName } from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/rule.js';

/** Body of PATCH /userapi/users. */
export class ChangeNamesDto {
  @ApiProperty({ example: 'alice@example.com', description: 'what the user is called now' })
  @IsName(code('E0045R'))
  username!: string;

  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else as the header says' })
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  relyingParty?: string;

  @ApiPropertyOptional({ example: 'alice.smith@example.com', description: 'the new user name' })
  @ValidateIf(isPresent)
  @IsName(code('E0045R'))
  newUsername?: string;

  @ApiPropertyOptional({ example: 'Alice Smith', description: 'the new display name' })
  @ValidateIf(isPresent)
  @IsDisplayName(code('E0045R'))
  displayName?: string;
}
