import { MayBeText } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';

/** Parameters of a page for users. */
export class UserPageQuery {
  /** The domain. */
  @MayBeText(code('E0045R'))
  relyingParty?: string;
}
