import { Injectable } from '@nestjs/common';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import type { SetupFinding } from '../../health/setup/setup-finding.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { modelFigures } from '../../trust/models/model-figures.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { WebhookRows, type TenantWebhook } from '../../webhooks/webhook-rows.js';
import { webhookStateOf } from '../../webhooks/webhook.answer.js';
import { KeyCaseReader, type KeyCases } from './key-cases.js';

export type Inbox = Awaited<ReturnType<InboxService['of']>>;

@Injectable()
export class InboxService {
  constructor(
    private readonly cases: KeyCaseReader,
    private readonly modelKeys: ModelKeys,
    private readonly models: AuthenticatorModels,
    private readonly webhooks: WebhookRows,
    private readonly findings: SetupFindings,
  ) {}

  /**
   * @param rps the relying parties that the account may see
   * @param isPast whether the findings are those that are handled, instead of the open ones
   */
  async of(account: Account, rps: readonly RelyingParty[], isPast: boolean) {
    const { copied, models, rules } = await this.cases.of(rps);
    const isShown = ({ isOpen }: { readonly isOpen: boolean }) => isOpen !== isPast;
    const refused = may(account, 'models:read') ? models.filter(isShown) : [];
    const webhooks =
      may(account, 'webhooks:read') && !isPast ? await this.webhooks.list(account) : [];
    return {
      isPast,
      copied: copied.filter(isShown),
      refusedModels: await this.modelsIn(refused),
      rules: rules.filter(isShown),
      webhooks: failuresByTenant(webhooks),
      setup: may(account, 'setup:read') && !isPast ? await this.setup(account, rps) : [],
    };
  }

  /** Each model once, with its keys at these relying parties. */
  private async modelsIn(refused: KeyCases['models']) {
    const found = [];
    for (const [aaguid, places] of Map.groupBy(refused, (one) => one.aaguid)) {
      const rps = places.map(({ relyingParty }) => relyingParty);
      const figures = await modelFigures(this.modelKeys, rps, aaguid);
      const name = this.models.name(aaguid);
      const icon = this.models.icon(aaguid);
      found.push({ aaguid, name, icon, against: places[0]?.against ?? '', figures, places });
    }
    return found;
  }

  /**
   * Findings about the server concern all tenants; an account limited to some sees those about its relying
   * parties. Findings about webhooks are a separate part.
   */
  private async setup(account: Account, rps: readonly RelyingParty[]): Promise<SetupFinding[]> {
    if (account.tenants) return this.findings.ofRelyingParties(rps);
    const all = await this.findings.all();
    return all.filter(({ name }) => !name.startsWith('webhook-'));
  }
}

/** The numbers of webhooks whose events do not arrive, or that were switched off for that reason. */
function failuresByTenant(webhooks: readonly TenantWebhook[]) {
  const states = webhooks.map((webhook) => ({
    tenant: webhook.tenant,
    state: webhookStateOf(webhook),
  }));
  const failed = states.filter(({ state }) => state === 'failing' || state === 'given-up');
  return [...Map.groupBy(failed, ({ tenant }) => tenant.name).values()].map((own) => {
    const givenUp = own.filter(({ state }) => state === 'given-up').length;
    return { tenant: own[0]?.tenant, failing: own.length - givenUp, givenUp };
  });
}
