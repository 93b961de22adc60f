import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/errors/api-error.js';
import { phrase, ruleLabel } from '../../../platform/pages/languages/phrase.js';
import type { RelyingPartyPolicy } from '../../../tenancy/policy/policy.js';
import { RelyingPartyCache } from '../../../tenancy/scope/relying-party-cache.js';
import { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { PolicyTrial } from '../../../trust/trial/policy-trial.js';
import {
  triedRule,
  type TriedModelView,
  type TriedRuleView,
} from '../../../trust/trial/policy-trial.answer.js';
import type { TrialCount, TrialUsers } from '../../../trust/trial/trial-count.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import type { RelyingPartyAddress } from '../../../tenancy/tenancy.dto.js';
import { INVITED_GROUPS, type InvitedGroup } from '../tenants.dto.js';
import { NO_AAGUID } from '../../../webauthn/aaguid.js';

/** The effects of a policy, for the page. */
export type TrialView = Awaited<ReturnType<TrialPages['of']>>;

/** Evaluates the policy in the form of a relying party. */
@Injectable()
export class TrialPages {
  constructor(
    private readonly directory: RelyingPartyCache,
    private readonly trial: PolicyTrial,
    private readonly models: AuthenticatorModels,
  ) {}

  /** @throws ApiError E0044R if the tenant has no such relying party; E0040R */
  async of(tenant: string, domain: string, policy: RelyingPartyPolicy) {
    const rp = this.find(tenant, domain);
    const { keys, registrations, users, complete } = await this.trial.run(rp, policy);
    const part = (name: string, { counts, rules }: TrialCount) => {
      const texts = `tenants:party.trial.${name}`;
      return {
        name,
        ...counts,
        title: phrase(`${texts}.title`),
        /** What happens to reported keys and to refused ones. */
        reported: phrase(`${texts}.reported`, { count: counts.report }),
        refused: phrase(`${texts}.refused`, { count: counts.refuse }),
        rules: rules.map((broken) => ({
          ...ruleView(triedRule(broken, this.models), domain),
          problem: broken.problem,
        })),
      };
    };
    return {
      complete,
      users: usersView(users),
      parts: [part('keys', keys), part('registrations', registrations)],
    };
  }

  /** @throws ApiError E0044R if the tenant has no such relying party; E0040R */
  async usersToInvite(place: RelyingPartyAddress, policy: RelyingPartyPolicy, group: InvitedGroup) {
    const relyingParty = this.find(place.tenant, place.domain);
    const { users } = await this.trial.run(relyingParty, policy);
    return users[group].map(({ username, displayName }) => ({
      username,
      displayName,
      relyingParty,
    }));
  }

  private find(tenant: string, domain: string): RelyingParty {
    const rp = this.directory.current.find(domain);
    if (rp?.tenant !== tenant) throw new ApiError('E0044R', 'tenant.noRelyingParty');
    return rp;
  }
}

/** What becomes of the users, the worst first, and how many already cannot sign in. */
function usersView(users: TrialUsers) {
  const { total: all, canSignIn: total, onlyBrokenKeys } = users;
  const without = users.withoutKey.length;
  const unverified = users.unverified.length;
  const text = (name: string, count: number) =>
    phrase(`tenants:party.trial.users.${name}`, { count, total });
  const warnings = [
    ...(without > 0 ? [text('without', without)] : []),
    ...(unverified > 0 ? [text('unverified', unverified), text('unverifiedText', unverified)] : []),
    ...(without === 0 && onlyBrokenKeys > 0 ? [text('broken', onlyBrokenKeys)] : []),
  ];
  const locked = all > total ? [text('locked', all - total)] : [];
  const isSound = warnings.length === 0 && (total > 0 || locked.length === 0);
  const [said, ...more] = [
    ...warnings,
    ...(isSound ? [text(total === 0 ? 'none' : 'all', total)] : []),
    ...locked,
  ];
  const tone = warnings.length + locked.length > 0 ? 'warn' : 'good';
  const invites = INVITED_GROUPS.filter((group) => users[group].length > 0).map((group) => ({
    group,
    label: phrase(`tenants:party.trial.users.invite.${group}`),
  }));
  return { said, more, tone: without > 0 ? 'bad' : tone, invites };
}

const ruleView = (
  { rule, models, examples, outcome, errorCode, count }: TriedRuleView,
  domain: string,
) => ({
  errorCode,
  count,
  rule: ruleLabel(rule),
  outcome: phrase(`tenants:party.trial.outcomes.${outcome}`),
  models: models.map(modelRow),
  examples: examples.map(({ username }) => ({
    username,
    address: `/userapi/user?${new URLSearchParams({ name: username, rp: domain }).toString()}`,
  })),
});

function modelRow({ aaguid, authenticatorName, count }: TriedModelView) {
  const isUnknown = authenticatorName === null && aaguid !== NO_AAGUID;
  const label = authenticatorName ?? phrase(isUnknown ? 'models:unknown' : 'models:notTold');
  // The beginning of its AAGUID distinguishes an unknown model from others.
  return { label, aaguid, begins: isUnknown ? `${aaguid.slice(0, 8)}…` : undefined, count };
}
