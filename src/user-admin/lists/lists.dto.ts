import { ApiPropertyOptional } from '../../http/openapi.js';
import { IsText } from '../../validation/decorators.js';
import { RuleAmong, code, optional } from '../../validation/field.js';
import type { Coded } from '../../validation/field.js';

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Wants either user names or the ID of a list that was uploaded before. */
const AreUsersOrUpload = (options: Coded): PropertyDecorator =>
  RuleAmong('areUsersOrUpload', options, (users, { uploadId }: { uploadId?: unknown }) => {
    if ((users === undefined) === (uploadId === undefined)) {
      return 'Send a file, or "users", or an "uploadId".';
    }
    return users === undefined || isNames(users) ? undefined : '"users" must be an array of texts.';
  });

/** Body of POST /userapi/deletelistusers, unless the body is the file itself. */
export class DeleteListDto {
  @ApiPropertyOptional({
    type: String,
    format: 'binary',
    description: 'the list, by multipart/form-data; it is read while it arrives',
    example: 'alice@example.com\nbert@example.com\n',
  })
  file?: never;

  @ApiPropertyOptional({ type: [String], example: ['anna', 'bert'] })
  @AreUsersOrUpload(code('E0045R'))
  users?: readonly string[];

  @ApiPropertyOptional({ description: 'of a list uploaded before, for as long as it is kept' })
  @IsText(optional(code('E0045R')))
  uploadId?: string;
}
