import { Injectable } from '@nestjs/common';
import { CLONE_ALARMS, type EventRow } from '../../events/event.statements.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import type { SetupFinding } from '../../health/setup/setup-finding.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { Database } from '../../platform/database/database.js';
import { idFrom } from '../../platform/database/row-ids.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { modelFigures } from '../../trust/models/model-figures.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import type { FoundCredential } from '../../users/user-rows.js';
import { UsersByName } from '../../users/users-by-name.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { WebhookRows, type TenantWebhook } from '../../webhooks/webhook-rows.js';
import { webhookStateOf } from '../../webhooks/webhook.answer.js';
import { DashboardCounts } from '../dashboard/dashboard-counts.js';

const SHOWN_COPIED = 10;

/** A key whose counter decreased, and its current state. */
export interface CopiedKey {
  readonly relyingParty: RelyingParty;
  readonly username: string;
  /** `undefined` if no user has this name any longer. */
  readonly displayName: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `undefined` if the key was deleted, or its user renamed. */
  readonly key: FoundCredential | undefined;
}

const LAST_ID = Buffer.alloc(16, 0xff);

/** Finds the keys whose counters decreased in the last week (W3C WebAuthn L3 §6.1.1). */
@Injectable()
export class CopiedKeys {
  constructor(
    private readonly database: Database,
    private readonly counts: DashboardCounts,
    private readonly users: UsersByName,
  ) {}

  /**
   * Returns the newest alarms. Reads only hours with alarms.
   *
   * @param before an event ID: only alarms before it
   * @returns the page, and where the next one begins
   */
  async page(rps: readonly RelyingParty[], limit: number, before: Buffer = LAST_ID) {
    const rows: EventRow[] = [];
    for (const hour of await this.hours(rps)) {
      const from = idFrom(hour * HOUR_MS);
      const end = idFrom((hour + 1) * HOUR_MS);
      if (Buffer.compare(from, before) >= 0 || rows.length > limit) continue;
      const to = Buffer.compare(end, before) < 0 ? end : before;
      const range = { from, to, limit: limit + 1 - rows.length };
      const relyingPartyIds = rps.map(({ id }) => id);
      rows.push(...(await this.database.query(CLONE_ALARMS, { ...range, relyingPartyIds })));
    }
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? shown.at(-1)?.id : undefined;
    return { keys: await this.keysOf(rps, shown), next };
  }

  /** The hours that had alarms, latest first. */
  private async hours(rps: readonly RelyingParty[]): Promise<number[]> {
    const visible = new Set(rps.map(({ id }) => id.toString('hex')));
    const counts = await this.counts.lastWeek(visible);
    const hours = counts.flatMap(({ kind, hour }) => (kind === 'clone-alarm' ? [hour] : []));
    return [...new Set(hours)].sort((a, b) => b - a);
  }

  private async keysOf(rps: readonly RelyingParty[], rows: readonly EventRow[]) {
    const found: CopiedKey[] = [];
    for (const relyingParty of rps) {
      const here = rows.filter(({ relyingPartyId }) => relyingPartyId.equals(relyingParty.id));
      const names = [...new Set(here.map(({ username }) => username.toString('utf8')))];
      const users = names.length === 0 ? [] : await this.users.find(relyingParty, names);
      for (const { username: bytes, credential, at } of here) {
        const username = bytes.toString('utf8');
        const user = users.find((one) => one.username === username);
        const key = user?.credentials.find(({ credentialHash }) =>
          credentialHash.subarray(0, credential.length).equals(credential),
        );
        found.push({
          relyingParty,
          username,
          displayName: user?.displayName,
          at: Number(at),
          key,
        });
      }
    }
    return found.sort((a, b) => b.at - a.at);
  }
}

export type Inbox = Awaited<ReturnType<InboxService['of']>>;

@Injectable()
export class InboxService {
  constructor(
    private readonly copied: CopiedKeys,
    private readonly modelKeys: ModelKeys,
    private readonly models: AuthenticatorModels,
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
      refusedModels: may(account, 'models:read') ? await this.refusedModels(rps) : [],
      rules: await this.keyFindings.brokenRules(rps),
      webhooks: failuresByTenant(webhooks),
      setup: may(account, 'setup:read') ? await this.setup(account, rps) : [],
    };
  }

  /**
   * The models in use whose status in the metadata means `refuse`, for example a revoked one; not those with a mere
   * warning.
   */
  private async refusedModels(rps: readonly RelyingParty[]) {
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
