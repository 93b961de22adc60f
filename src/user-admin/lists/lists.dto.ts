import { IsString, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { RuleAmong, code, isPresent } from '../../platform/validation/rule.js';
import type { Coded } from '../../platform/validation/rule.js';

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Wants either user names or the ID of a list that was uploaded before. */
const AreUsersOrUpload = (options: Coded): PropertyDecorator =>
  RuleAmong('areUsersOrUpload', options, (users, { uploadId }: { uploadId?: unknown }) => {
    if ((users === undefined) === (uploadId === undefined)) {
      return problem('list.usersOrUpload');
    }
    const fits = users === undefined || isNames(users);
    return fits ? undefined : problem('field.userNames', { field: 'users' });
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
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  uploadId?: string;
}
