import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';

/** A relying party, as it is stored or as it is applied. */
interface WithUsernames {
  readonly policy: { readonly usernames?: string };
}

/** Whether user names that differ only in case belong to one user. */
export const ignoresCase = ({ policy }: WithUsernames): boolean =>
  policy.usernames === 'case-insensitive';

/** The form in which a relying party compares user names: equal for two names of one user. */
export const nameKey = (rp: WithUsernames, name: string): string =>
  ignoresCase(rp) ? foldedName(name) : normalizeName(name);
