import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import { IsDisplayName, IsName, IsText } from '../../validation/decorators.js';
import { code, optional } from '../../validation/field.js';

/** Body of PATCH /userapi/users. */
export class ChangeNamesDto {
  @ApiProperty({ example: 'alice@example.com', description: 'what the user is called now' })
  @IsName(code('E0045R'))
  username!: string;

  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else as the header says' })
  @IsText(optional(code('E0045R')))
  relyingParty?: string;

  @ApiPropertyOptional({ example: 'alice.smith@example.com', description: 'the new user name' })
  @IsName(optional(code('E0045R')))
  newUsername?: string;

  @ApiPropertyOptional({ example: 'Alice Smith', description: 'the new display name' })
  @IsDisplayName(optional(code('E0045R')))
  displayName?: string;
}
