import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { code } from '../platform/validation/rule.js';

/** Parameters of GET /fidoapi/test. */
export class TestQuery {
  @ApiPropertyOptional({
    example: 'localhost',
    description: 'domain of the relying party for `originListed`; a header would need a preflight',
  })
  @MayBeText(code('E0045R'))
  relyingParty?: string;
}
