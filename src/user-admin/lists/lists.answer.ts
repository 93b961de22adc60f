import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { RefusalAnswer } from '../../platform/http/openapi/refusal.answer.js';

const COUNT = { type: 'integer', minimum: 0 } as const;
const UPLOAD = {
  example: 'rN8rJ3yQm2c0V8yq1kTz9w',
  description: 'names the list for an hour',
} as const;

class ListedUser {
  @ApiProperty({ example: 'alice@example.com', description: 'as the line has it' })
  readonly username!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  readonly line!: number;

  @ApiProperty({ description: 'whether there is such a user' })
  readonly found!: boolean;

  @ApiProperty({ ...COUNT, example: 2, description: 'how many the user has' })
  readonly credentials!: number;

  @ApiPropertyOptional({ type: Boolean, enum: [true], description: 'only where it can be no name' })
  readonly invalid?: true;

  @ApiPropertyOptional({
    type: [String],
    example: ['alice@example.com'],
    description: 'only where nobody has the name: users who have it in another case',
  })
  readonly similar?: readonly string[];
}

/** Answer of POST /userapi/upload; `status` follows the users, since it is not known earlier. */
export class UploadedAnswer extends OkAnswer {
  @ApiProperty({ type: [ListedUser] })
  readonly users!: readonly ListedUser[];

  @ApiProperty({ ...COUNT, example: 1, description: 'lines' })
  readonly total!: number;

  @ApiProperty({ ...COUNT, example: 1, description: 'lines that name a user' })
  readonly found!: number;

  @ApiProperty({ ...COUNT, description: 'lines that name none' })
  readonly missing!: number;

  @ApiProperty({ ...COUNT, description: 'lines that can be no name' })
  readonly invalid!: number;

  @ApiProperty(UPLOAD)
  readonly uploadId!: string;
}

/** Answer with HTTP status 200 if the database fails while the users are written. */
export class UploadBrokenAnswer {
  @ApiProperty({ type: [ListedUser] })
  readonly users!: readonly ListedUser[];

  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: ['E0050R', 'E0051R', 'E0052R'] })
  readonly errorCode!: RefusalAnswer['errorCode'];

  @ApiProperty({ description: 'one sentence', example: 'The storage is full.' })
  readonly errorMessage!: string;

  @ApiProperty({ type: String, example: 'server.storageFull' })
  readonly reason!: RefusalAnswer['reason'];
}

/** The progress of a deletion. */
class DeletionFigures extends OkAnswer {
  @ApiProperty({ ...COUNT, example: 1, description: 'users that were deleted' })
  readonly deleted!: number;

  @ApiProperty({ ...COUNT, description: 'lines of nobody' })
  readonly missing!: number;

  @ApiProperty({ ...COUNT, description: 'lines that can be no name' })
  readonly invalid!: number;

  @ApiProperty({ ...COUNT, example: 2, description: 'credentials that went with the users' })
  readonly credentials!: number;

  @ApiProperty(UPLOAD)
  readonly uploadId!: string;
}

/** Answer of POST /userapi/deletelistusers. */
export class ListDeletedAnswer extends DeletionFigures {
  @ApiProperty({ ...COUNT, example: 1, description: 'lines' })
  readonly total!: number;

  @ApiProperty({ description: 'whether somebody stopped it' })
  readonly stopped!: boolean;
}

/** Answer of GET /userapi/deletelistusers/:uploadId. */
export class DeletionProgressAnswer extends DeletionFigures {
  @ApiProperty({ example: 'localhost', description: 'its domain' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'deleting' })
  readonly state!: string;

  @ApiProperty({ ...COUNT, description: 'lines that are still to come' })
  readonly left!: number;
}

/** Answer of DELETE /userapi/deletelistusers/:uploadId. */
export class DeletionStoppedAnswer extends OkAnswer {
  @ApiProperty(UPLOAD)
  readonly uploadId!: string;

  @ApiProperty({ description: 'false where it was done already' })
  readonly stopped!: boolean;
}
