import type { RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** Maximum number of AAGUIDs in the rule `block` of a policy. */
const MAX_BLOCKED = 500;

/** Whether the policy refuses registrations of the model by its rule `block`. */
export const isBlocked = ({ policy: { block } }: RelyingParty, aaguid: string): boolean =>
  block?.mode === 'enforce' && block.value.includes(aaguid);

/** The policy with the model on its list; unchanged if the list is full or not enforced. */
export function withModel(policy: RelyingPartyPolicy, aaguid: string): RelyingPartyPolicy {
  const { block = [] } = policy;
  const list = 'mode' in block ? block.list : block;
  const isEnforced = !('mode' in block) || block.mode === 'enforce';
  if (!isEnforced || list.length >= MAX_BLOCKED) return policy;
  const longer = [...list, aaguid];
  return { ...policy, block: 'mode' in block ? { ...block, list: longer } : longer };
}

/** The policy without the model on its list; the rule is removed with the last model. */
export function withoutModel(policy: RelyingPartyPolicy, aaguid: string): RelyingPartyPolicy {
  const { block = [], ...others } = policy;
  const list = 'mode' in block ? block.list : block;
  const shorter = list.filter((one) => one.toLowerCase() !== aaguid);
  if (shorter.length === 0) return others;
  return { ...others, block: 'mode' in block ? { ...block, list: shorter } : shorter };
}
