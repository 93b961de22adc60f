import { Injectable } from '@nestjs/common';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import type { SetupFinding } from '../../health/setup/setup-finding.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { webhookStateOf } from '../../webhooks/webhook.view.js';
import { Webhooks } from '../../webhooks/webhooks.service.js';

export interface FailingWebhooks {
  readonly tenant: string;
  readonly failing: number;
  readonly givenUp: number;
}

/** Finds problems with the operation of the server: its webhooks, its metadata and its options. */
@Injectable()
export class OperationFindings {
  constructor(
    private readonly all: Webhooks,
    private readonly findings: SetupFindings,
  ) {}

  async webhooks(account: Account): Promise<FailingWebhooks[]> {
    if (!may(account, 'webhooks:read')) return [];
    const tenants = new Map<string, { failing: number; givenUp: number }>();
    for (const webhook of await this.all.list(account, {})) {
      const state = webhookStateOf(webhook);
      if (state !== 'failing' && state !== 'given-up') continue;
      const sums = tenants.get(webhook.tenant.name) ?? { failing: 0, givenUp: 0 };
      tenants.set(webhook.tenant.name, sums);
      sums[state === 'failing' ? 'failing' : 'givenUp'] += 1;
    }
    return [...tenants].map(([tenant, sums]) => ({ tenant, ...sums }));
  }

  /**
   * Findings about the server concern all tenants; an account limited to some sees those about its relying
   * parties. Findings about webhooks are a separate part.
   */
  async setup(account: Account, rps: readonly RelyingParty[]): Promise<readonly SetupFinding[]> {
    if (!may(account, 'setup:read')) return [];
    if (account.tenants) return this.findings.ofRelyingParties(rps);
    const all = await this.findings.all();
    return all.filter(({ name }) => !name.startsWith('webhook-'));
  }
}
