import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { POLICY_MEMBERS } from './policy.js';
import type { MemberName, RelyingPartyPolicy } from './policy.js';

/**
 * The policy that takes the place of `before`: the one that is asked for. Where an application key asks,
 * the members that it may not change stay as they are, whether it leaves them out or repeats them.
 *
 * @throws ApiError E0043R where a key would change one of them
 */
export function policyBy(
  { key }: Account,
  before: RelyingPartyPolicy,
  asked: RelyingPartyPolicy,
): RelyingPartyPolicy {
  if (!key) return asked;
  const closed = closedMembers(before);
  for (const [name, value] of Object.entries(closedMembers(asked))) {
    if (isDeepStrictEqual(value, closed[name])) continue;
    throw new ApiError('E0043R', 'applicationKey.policyMember', { rule: name });
  }
  return { ...asked, ...closed };
}

const closedMembers = (policy: RelyingPartyPolicy): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(policy).filter(([name]) => !POLICY_MEMBERS[name as MemberName].byApplications),
  );
