import { IsString } from 'class-validator';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { code } from '../../platform/validation/field-validator.js';

/** Body of POST /fidoapi/invitation. */
export class InvitationCodeDto {
  @ApiProperty({
    example: 'mJQ1nYkP0y8uGd4yQ2oZ7w',
    description: 'code from the link of the invitation',
  })
  @IsString(code('E0001R'))
  code!: string;
}
