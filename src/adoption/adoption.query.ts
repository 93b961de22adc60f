import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { code } from '../platform/validation/rule.js';

/** Parameters of GET /userapi/adoption. */
export class AdoptionQuery {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;
}

/** Parameters of the page. */
export class AdoptionPageQuery {
  @MayBeText(code('E0045R'))
  rp?: string;
}
