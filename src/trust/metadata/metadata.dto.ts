import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';

/** Query of an upload: the source that the BLOB in the body belongs to. */
export class MetadataUploadQuery {
  @ApiPropertyOptional({ example: 'upload', description: 'needed where there are several' })
  @MayBeText(code('E0045R'))
  source?: string;
}
