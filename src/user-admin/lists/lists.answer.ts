import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { RefusalAnswer } from '../../platform/http/openapi/refusal.answer.js';
import { EndedAnswer } from '../manage-users/manage-users.answer.js';

const UPLOAD = {
  example: 'rN8rJ3yQm2c0V8yq1kTz9w',
  description: 'ID of the list, valid for one hour',
} as const;

class ListedUser {
  @ApiProperty({ example: 'alice@example.com', description: 'user name as written in the line' })
  readonly username!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  readonly line!: number;

  @ApiProperty({ description: 'whether the user exists' })
  readonly found!: boolean;

  @ApiCount({ example: 2, description: 'number of keys of the user' })
  readonly credentials!: number;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [true],
    description: 'present if the line is no valid user name',
  })
  readonly invalid?: true;

  @ApiPropertyOptional({
    type: [String],
    example: ['alice@example.com'],
    description:
      'existing user names that differ only in case; only if the user name was not found',
  })
  readonly similar?: readonly string[];
}

/** Answer of POST /userapi/upload; `status` follows the users, since it is not known earlier. */
export class UploadedAnswer extends OkAnswer {
  @ApiProperty({ type: [ListedUser] })
  readonly users!: readonly ListedUser[];

  @ApiCount({ example: 1, description: 'number of lines' })
  readonly total!: number;

  @ApiCount({ example: 1, description: 'number of lines that name a user' })
  readonly found!: number;

  @ApiCount({ description: 'number of lines that name no user' })
  readonly missing!: number;

  @ApiCount({ description: 'number of lines that are no valid user name' })
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

  @ApiProperty({
    description: 'message for the caller: one sentence',
    example: 'The storage is full.',
  })
  readonly errorMessage!: string;

  @ApiProperty({ type: String, example: 'server.storageFull' })
  readonly reason!: RefusalAnswer['reason'];
}

class DeletionFigures extends OkAnswer {
  @ApiCount({ example: 1, description: 'number of deleted users' })
  readonly deleted!: number;

  @ApiCount({ description: 'number of lines that name no user' })
  readonly missing!: number;

  @ApiCount({ description: 'number of lines that are no valid user name' })
  readonly invalid!: number;

  @ApiCount({ example: 2, description: 'number of keys deleted with the users' })
  readonly credentials!: number;

  @ApiProperty(UPLOAD)
  readonly uploadId!: string;
}

/** Answer of POST /userapi/deletelistusers. */
export class ListDeletedAnswer extends DeletionFigures {
  @ApiCount({ example: 1, description: 'number of lines' })
  readonly total!: number;

  @ApiProperty({ description: 'whether the deletion was stopped' })
  readonly stopped!: boolean;

  @ApiProperty({ type: EndedAnswer })
  readonly ended!: EndedAnswer;
}

/** Answer of GET /userapi/deletelistusers/:uploadId. */
export class DeletionProgressAnswer extends DeletionFigures {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'deleting' })
  readonly state!: string;

  @ApiCount({ description: 'number of lines not processed yet' })
  readonly left!: number;
}

/** Answer of DELETE /userapi/deletelistusers/:uploadId. */
export class DeletionStoppedAnswer extends OkAnswer {
  @ApiProperty(UPLOAD)
  readonly uploadId!: string;

  @ApiProperty({
    description: 'whether the deletion was stopped; false if it had already finished',
  })
  readonly stopped!: boolean;
}
