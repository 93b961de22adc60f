import { Inject, Injectable } from '@nestjs/common';
import { EVENT_KINDS } from '../../events/event.entity.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { tagOf } from '../../platform/http/versions.js';
import { may } from '../../platform/access/permissions.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { webhookView, type WebhookView } from '../../webhooks/webhook.answer.js';
import { failurePhrase } from '../../webhooks/delivery/failure-words.js';
import { WebhookRows, type TenantWebhook } from '../../webhooks/webhook-rows.js';
import { choiceOf, textIn, textsIn } from '../tenancy/form.js';
import {
  tenantAddress,
  commonView,
  shownFields,
  type TenantPageVisit,
} from '../tenancy/tenants.view.js';

const TICK_ONE = problem('form.tick');

/** The style of a badge by the webhook's state. */
const BADGES: Readonly<Record<WebhookView['state'], string>> = {
  well: 'good',
  failing: 'warn',
  off: '',
  'given-up': 'bad',
};

/** Collects the data for the page of a tenant's webhooks. */
@Injectable()
export class WebhookPages {
  constructor(
    private readonly webhooks: WebhookRows,
    private readonly tenancy: TenancyService,
    private readonly directory: RelyingPartyCache,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * @param shown a secret that was just created; the webhook whose new address was refused
   * @throws ApiError E0044R
   */
  async page(
    name: string,
    visit: TenantPageVisit,
    { secret, edited }: { readonly secret?: string; readonly edited?: string } = {},
  ) {
    const { account, sent } = visit;
    const tenant = await this.tenancy.tenant(name);
    const address = `${tenantAddress(name)}/_webhooks`;
    const parties = await this.tenancy.listRelyingParties(name);
    const found = await this.webhooks.list(account, name);
    const { current } = this.directory;
    const kinds = textsIn(sent?.fields, 'events');
    const domains = textsIn(sent?.fields, 'relyingParties');
    const fields = shownFields(visit, {});
    return {
      ...commonView(phrase('tenants:webhooks.of', { name: tenant.displayName }), visit),
      fields: { ...fields, events: { error: sent?.faults['events'] && TICK_ONE } },
      address,
      tenant: { address: tenantAddress(name), displayName: tenant.displayName },
      addressHint: phrase(
        `tenants:webhooks.hints.${this.options.webhookPrivate ? 'private' : 'public'}`,
      ),
      webhooks: found.map((webhook) => {
        const row = rowOf(webhook, webhookView(webhook, current), address);
        return row.id === edited
          ? {
              ...row,
              newUrl: textIn(sent?.fields, 'newUrl'),
              newUrlError: sent?.faults['newUrl'],
            }
          : row;
      }),
      kinds: EVENT_KINDS.map((kind) =>
        choiceOf(kind, phrase(`tenants:webhooks.kinds.${kind}`), kinds),
      ),
      domains: parties.map(({ domain }) => choiceOf(domain, domain, domains)),
      again: secret === undefined ? undefined : address,
      secret,
      mayChangeWebhooks: may(account, 'webhooks:change'),
    };
  }
}

const rowOf = ({ failure }: TenantWebhook, view: WebhookView, address: string) => ({
  ...view,
  newUrl: view.url,
  newUrlError: undefined as Problem | undefined,
  failure: failure === null ? null : failurePhrase(failure),
  /** The value for `If-Match`. */
  tag: tagOf(view.version),
  address: `${address}/${view.id}`,
  badge: { kind: BADGES[view.state], text: phrase(`tenants:webhooks.badges.${view.state}`) },
  isOn: view.state === 'well' || view.state === 'failing',
  /** Whether the last failure is relevant: nothing has arrived since. */
  isFailing: view.state === 'failing' || view.state === 'given-up',
});
