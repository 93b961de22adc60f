import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../relying-party.js';

type WithPolicy = Pick<RelyingParty, 'policy'>;

/** Whether user names that differ only in case belong to one user. */
export const ignoresCase = ({ policy }: WithPolicy): boolean =>
  policy.usernames === 'case-insensitive';

/** The form in which a relying party compares user names: equal for two names of one user. */
export const nameKey = (rp: WithPolicy, name: string): string =>
  ignoresCase(rp) ? foldedName(name) : normalizeName(name);
