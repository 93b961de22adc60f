import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { UserView } from '../manage-users/manage-users.answer.js';

/** Answer of GET /userapi/users. */
export class SearchAnswer extends OkAnswer {
  @ApiProperty({ type: [UserView], description: 'the best matches first' })
  readonly users!: readonly UserView[];

  @ApiProperty({ example: false, description: 'there are more, or may be: add a word' })
  readonly more!: boolean;

  @ApiProperty({
    example: true,
    description: '`false` while names are still being read: who is not found may be there',
  })
  readonly complete!: boolean;
}
