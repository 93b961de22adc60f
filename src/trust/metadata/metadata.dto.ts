import { ApiPropertyOptional } from '../../http/openapi.js';
import { MayBeText } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';

/** Query of an upload: the source that the BLOB in the body belongs to. */
export class MetadataUploadQuery {
  @ApiPropertyOptional({ example: 'upload', description: 'needed where there are several' })
  @MayBeText(code('E0045R'))
  source?: string;
}
