import { Injectable } from '@nestjs/common';
import type { AuditedUser } from '../../audit/audit-trail.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { differencesOf } from '../../tenancy/changes/relying-party-change.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';

/** Maximum number of AAGUIDs in the rule `block` of a policy. */
const MOST_BLOCKED = 500;

/** The result of blocking a model: the changed relying parties, and those whose rule must be changed by hand. */
export interface BlockOutcome {
  readonly changed: readonly AuditedUser[];
  readonly left: readonly string[];
}

/** Adds a model to the rule `block` of relying parties, or removes it. */
@Injectable()
export class ModelBlock {
  constructor(private readonly tenancy: TenancyService) {}

  /** Changes each relying party in a unit of its own: an interrupted call can be repeated. */
  async set(
    by: Account,
    rps: readonly RelyingParty[],
    { aaguid, blocked }: { readonly aaguid: string; readonly blocked: boolean },
  ): Promise<BlockOutcome> {
    const changed: AuditedUser[] = [];
    const left: string[] = [];
    for (const rp of rps) {
      if (isBlocked(rp, aaguid) === blocked) continue;
      const { before, after } = await this.tenancy.changeRelyingParty(
        by,
        rp.tenant,
        rp.domain,
        ({ policy }) => ({
          policy: blocked ? withModel(policy, aaguid) : withoutModel(policy, aaguid),
        }),
      );
      const detail = differencesOf(before, after);
      if (Object.keys(detail).length === 0) left.push(rp.domain);
      else changed.push({ tenant: rp.tenant, relyingParty: rp.domain, target: rp.domain, detail });
    }
    return { changed, left };
  }
}

/** Whether the policy refuses registrations of the model by its rule `block`. */
export const isBlocked = ({ policy: { block } }: RelyingParty, aaguid: string): boolean =>
  block?.mode === 'enforce' && block.value.includes(aaguid);

/** The policy with the model on its list; unchanged if the list is full or not enforced. */
function withModel(policy: RelyingPartyPolicy, aaguid: string): RelyingPartyPolicy {
  const { block = [] } = policy;
  const list = 'mode' in block ? block.list : block;
  const isEnforced = !('mode' in block) || block.mode === 'enforce';
  if (!isEnforced || list.length >= MOST_BLOCKED) return policy;
  const longer = [...list, aaguid];
  return { ...policy, block: 'mode' in block ? { ...block, list: longer } : longer };
}

/** The policy without the model on its list; the rule is removed with the last model. */
function withoutModel(policy: RelyingPartyPolicy, aaguid: string): RelyingPartyPolicy {
  const { block = [], ...others } = policy;
  const list = 'mode' in block ? block.list : block;
  const shorter = list.filter((one) => one.toLowerCase() !== aaguid);
  if (shorter.length === 0) return others;
  return { ...others, block: 'mode' in block ? { ...block, list: shorter } : shorter };
}
