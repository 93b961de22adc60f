import { MayBeText } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';

/** Parameters of a page for users. */
export class PeopleQuery {
  /** The domain. */
  @MayBeText(code('E0045R'))
  relyingParty?: string;
}
