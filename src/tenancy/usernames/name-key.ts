import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../relying-party.js';

type Comparing = Pick<RelyingParty, 'policy'>;

/** Whether two names that differ in their case alone are one user's. */
export const ignoresCase = ({ policy }: Comparing): boolean =>
  policy.usernames === 'case-insensitive';

/** What a relying party compares user names by: the same of two names that are one user's. */
export const nameKey = (rp: Comparing, name: string): string =>
  ignoresCase(rp) ? foldedName(name) : normalizeName(name);
