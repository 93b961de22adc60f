import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';

/** Answer of PATCH /userapi/users: what the user is called from now on. */
export class NamesAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice.smith@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'Alice Smith' })
  readonly displayName!: string;

  @ApiProperty({ example: 'localhost', description: 'its domain' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 2, description: 'how many keys stay as they are' })
  readonly credentials!: number;
}
