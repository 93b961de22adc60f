import { Injectable } from '@nestjs/common';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import type { SetupFinding } from '../../health/setup/setup-finding.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { modelFigures } from '../../trust/models/model-figures.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { WebhookRows, type TenantWebhook } from '../../webhooks/webhook-rows.js';
import { webhookStateOf } from '../../webhooks/webhook.answer.js';
import { CopiedKeys } from './copied-keys.js';

const SHOWN_COPIED = 10;

/**
 * Finds the models in use whose status in the metadata means `refuse`, for example a revoked one. The list does not
 * contain models with a mere warning.
 */
@Injectable()
export class RefusedModels {
  constructor(
    private readonly modelKeys: ModelKeys,
    private readonly models: AuthenticatorModels,
  ) {}

  async of(rps: readonly RelyingParty[]) {
    const found = [];
    for (const bytes of await this.modelKeys.modelsOf(rps)) {
      const aaguid = aaguidText(bytes);
      const against = this.models.statusAgainst(aaguid);
      if (against === undefined) continue;
      const figures = await modelFigures(this.modelKeys, rps, aaguid);
      const name = this.models.name(aaguid);
      const icon = this.models.icon(aaguid);
      found.push({ aaguid, name, icon, against, figures });
    }
    return found;
  }
}

export type Inbox = Awaited<ReturnType<InboxService['of']>>;

@Injectable()
export class InboxService {
  constructor(
    private readonly copied: CopiedKeys,
    private readonly models: RefusedModels,
    private readonly keyFindings: KeyFindings,
    private readonly webhooks: WebhookRows,
    private readonly findings: SetupFindings,
  ) {}

  /** @param rps the relying parties that the account may see */
  async of(account: Account, rps: readonly RelyingParty[]) {
    const { keys, next } = await this.copied.page(rps, SHOWN_COPIED);
    const webhooks = may(account, 'webhooks:read') ? await this.webhooks.list(account) : [];
    return {
      copied: { keys, more: next !== undefined },
      refusedModels: may(account, 'models:read') ? await this.models.of(rps) : [],
      rules: await this.keyFindings.brokenRules(rps),
      webhooks: failuresByTenant(webhooks),
      setup: may(account, 'setup:read') ? await this.setup(account, rps) : [],
    };
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
    tenant: webhook.tenant.name,
    state: webhookStateOf(webhook),
  }));
  const failed = states.filter(({ state }) => state === 'failing' || state === 'given-up');
  return [...Map.groupBy(failed, ({ tenant }) => tenant)].map(([tenant, own]) => {
    const givenUp = own.filter(({ state }) => state === 'given-up').length;
    return { tenant, failing: own.length - givenUp, givenUp };
  });
}
