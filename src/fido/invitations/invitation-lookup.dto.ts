import { ApiProperty } from '../../http/openapi.js';
import { IsText } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';

/** Body of POST /fidoapi/invitation. */
export class InvitationCodeDto {
  @ApiProperty({ example: 'mJQ1nYkP0y8uGd4yQ2oZ7w', description: 'of the link' })
  @IsText(code('E0001R'))
  code!: string;
}
