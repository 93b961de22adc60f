import { ApiPropertyOptional } from '../../http/openapi.js';
import { MayBeText } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';

/** Whose metadata an upload is: the body is the BLOB. */
export class MetadataUploadQuery {
  @ApiPropertyOptional({ example: 'upload', description: 'needed where there are several' })
  @MayBeText(code('E0045R'))
  source?: string;
}
