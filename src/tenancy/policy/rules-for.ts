import type { RelyingParty } from '../relying-party.js';
import type { Policy } from './policy.js';

/** The profile of a user: the first whose group the user has. */
export const profileOf = (
  { profiles }: Pick<Policy, 'profiles'>,
  groups: readonly string[],
): Policy['profiles'][number] | undefined => profiles.find(({ group }) => groups.includes(group));

/** The rules of all users, and those of each profile. */
export const rulesOfEachProfile = (policy: Policy): readonly Policy[] => [
  policy,
  ...policy.profiles.map(({ rules }) => ({ ...policy, ...rules })),
];

/**
 * The relying party with the policy of a user: the members of the user's profile replace those of all users. The server's
 * options stay above both.
 */
export function rulesFor<RP extends Pick<RelyingParty, 'policy'>>(
  rp: RP,
  groups: readonly string[],
): RP {
  const profile = profileOf(rp.policy, groups);
  return profile ? { ...rp, policy: { ...rp.policy, ...profile.rules } } : rp;
}
