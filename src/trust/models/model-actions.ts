import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../audit/audit-entry.js';
import { Audited, type AuditedCall, type AuditedOptions } from '../../audit/audited.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { enforcedValue, type RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';

/** Maximum number of AAGUIDs in the rule `block` of a policy. */
const MAX_BLOCKED = 500;

/** `Audited` for a call with a model in its path. */
export const AuditedModel = (action: AuditAction, options?: AuditedOptions) =>
  Audited(action, { target: 'aaguid', ...options });

/** A call that acts on a model at several relying parties. */
export interface ModelCall extends AuditedCall {
  readonly aaguid: string;
  readonly relyingParties: readonly RelyingParty[];
}

/** Blocks a model, for pages and programs, with the same audit rows. */
@Injectable()
export class ModelActions {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /**
   * Adds a model to the rule `block` of all relying parties of the call, or removes it. Changes each in a unit of its
   * own: an interrupted call can be repeated.
   *
   * @returns the changed relying parties, and the domains whose rule `block` must be changed by hand
   */
  async block(call: ModelCall, blocked: boolean) {
    const { aaguid, relyingParties } = call;
    const changed: string[] = [];
    const left: string[] = [];
    // Another instance may have blocked the model a moment ago.
    const open = await this.relyingParties.read();
    const ids = new Set(relyingParties.map(({ id }) => mapKey(id)));
    const decide = blocked ? withModel : withoutModel;
    for (const { tenant, domain } of open.filter(
      (rp) => ids.has(mapKey(rp.id)) && isBlocked(rp, aaguid) !== blocked,
    )) {
      const { policy: stored } = await this.tenancy.relyingParty(tenant, domain);
      if (decide(stored, aaguid) === stored) {
        left.push(domain);
        continue;
      }
      await this.tenancy.changeRelyingParty(call, tenant, domain, ({ policy }) => ({
        policy: decide(policy, aaguid),
      }));
      changed.push(domain);
    }
    if (changed.length === 0) call.about({ detail: { relyingParties: 0 } });
    return { changed, left };
  }
}

/** Whether the policy refuses registrations of the model by its rule `block`. */
export const isBlocked = ({ policy }: RelyingParty, aaguid: string): boolean =>
  enforcedValue(policy.block)?.includes(aaguid) === true;

/** The policy with the model on its list; unchanged if the list is full or not enforced. */
function withModel(policy: RelyingPartyPolicy, aaguid: string): RelyingPartyPolicy {
  const { block = [] } = policy;
  const list = 'mode' in block ? block.list : block;
  const isEnforced = !('mode' in block) || block.mode === 'enforce';
  if (!isEnforced || list.length >= MAX_BLOCKED) return policy;
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
