import { Injectable } from '@nestjs/common';
import { ApiError } from '../../errors/api-error.js';
import { phrase } from '../../presentation/languages/phrase.js';
import type { Phrase } from '../../presentation/languages/phrase.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { PolicyTrial } from '../../trust/trial/policy-trial.js';
import { triedView } from '../../trust/trial/policy-trial.view.js';
import type { TriedRuleView, TriedView } from '../../trust/trial/policy-trial.answer.js';
import type { TrialCount } from '../../trust/trial/trial-count.js';

interface RuleView extends Omit<TriedRuleView, 'models' | 'examples' | 'outcome'> {
  readonly outcome: Phrase;
  readonly models: readonly { readonly label: string; readonly count: number }[];
  readonly examples: readonly { readonly username: string; readonly address: string }[];
}

interface PartView extends Omit<TriedView, 'rules'> {
  readonly name: string;
  readonly title: Phrase;
  /** What becomes of those that are reported, and of those that are refused. */
  readonly reported: Phrase;
  readonly refused: Phrase;
  readonly rules: readonly RuleView[];
}

/** What a policy would mean, for people. */
export interface TrialView {
  readonly complete: boolean;
  readonly parts: readonly PartView[];
}

/** Tries the policy that stands in the form of a relying party. */
@Injectable()
export class TrialPages {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly trial: PolicyTrial,
    private readonly models: AuthenticatorModels,
  ) {}

  /** @throws ApiError E0044R where the tenant has no such relying party, E0040R */
  async of(tenant: string, domain: string, policy: RelyingPartyPolicy): Promise<TrialView> {
    const rp = this.directory.current.find(domain);
    if (rp?.tenant !== tenant) {
      throw new ApiError('E0044R', 'The tenant has no such relying party.');
    }
    const { keys, registrations, complete } = await this.trial.run(rp, policy);
    const part = (name: string, counted: TrialCount): PartView => {
      const { rules, ...counts } = triedView(counted, this.models);
      const said = `tenants:party.trial.${name}`;
      return {
        ...{ name, ...counts },
        title: phrase(`${said}.title`),
        reported: phrase(`${said}.reported`, { count: counts.report }),
        refused: phrase(`${said}.refused`, { count: counts.refuse }),
        rules: rules.map((rule) => ruleView(rule, domain)),
      };
    };
    return {
      complete,
      parts: [part('keys', keys), part('registrations', registrations)],
    };
  }
}

const ruleView = (
  { models, examples, outcome, ...rule }: TriedRuleView,
  domain: string,
): RuleView => ({
  ...rule,
  outcome: phrase(`tenants:party.trial.outcomes.${outcome}`),
  models: models.map(({ aaguid, authenticatorName, count }) => ({
    label: authenticatorName ?? aaguid,
    count,
  })),
  examples: examples.map(({ username }) => ({
    username,
    address: `/userapi/user?${new URLSearchParams({ name: username, rp: domain }).toString()}`,
  })),
});
