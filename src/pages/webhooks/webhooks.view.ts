import { EVENT_KINDS } from '../../events/event.entity.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { tagOf } from '../../platform/http/versions.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParties } from '../../tenancy/scope/relying-parties.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import { webhookView, type WebhookView } from '../../webhooks/webhook.answer.js';
import { failurePhrase } from '../../webhooks/delivery/failure-words.js';
import { EVERY_AUDIT } from '../../webhooks/webhook-kinds.js';
import type { TenantWebhook } from '../../webhooks/webhook-rows.js';
import type { Attempt } from '../../webhooks/webhook.entity.js';
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

interface WebhooksShown {
  readonly tenant: Tenant;
  readonly webhooks: readonly TenantWebhook[];
  /** The relying parties that a webhook may be limited to. */
  readonly domains: readonly string[];
  readonly relyingParties: RelyingParties;
  /** Whether webhooks may have private addresses. */
  readonly allowsPrivate: boolean;
  /** A secret that was just created. */
  readonly secret?: string | undefined;
  /** The webhook whose new address was refused. */
  readonly edited?: string | undefined;
}

export const webhooksAddress = (tenant: string): string => `${tenantAddress(tenant)}/_webhooks`;

/** The page of a tenant's webhooks. */
export function webhooksPage(shown: WebhooksShown, visit: TenantPageVisit) {
  const { account, sent } = visit;
  const { tenant, secret } = shown;
  const address = webhooksAddress(tenant.name);
  const kinds = textsIn(sent?.fields, 'events');
  const domains = textsIn(sent?.fields, 'relyingParties');
  const fields = shownFields(visit, {});
  return {
    ...commonView(phrase('tenants:webhooks.of', { name: tenant.displayName }), visit),
    fields: { ...fields, events: { error: sent?.faults['events'] && TICK_ONE } },
    address,
    tenant: { address: tenantAddress(tenant.name), displayName: tenant.displayName },
    addressHint: phrase(`tenants:webhooks.hints.${shown.allowsPrivate ? 'private' : 'public'}`),
    webhooks: shown.webhooks.map((webhook) => {
      const row = rowOf(webhook, webhookView(webhook, shown.relyingParties), address);
      return row.id === shown.edited
        ? {
            ...row,
            newUrl: textIn(sent?.fields, 'newUrl'),
            newUrlError: sent?.faults['newUrl'],
          }
        : row;
    }),
    kinds: [
      ...EVENT_KINDS.map((kind) => choiceOf(kind, phrase(`tenants:webhooks.kinds.${kind}`), kinds)),
      choiceOf(EVERY_AUDIT, phrase('tenants:webhooks.kinds.audit'), kinds),
    ],
    domains: shown.domains.map((domain) => choiceOf(domain, domain, domains)),
    again: secret === undefined ? undefined : address,
    secret,
    mayChangeWebhooks: may(account, 'webhooks:change'),
  };
}

export const deliveriesAddress = (tenant: string, id: string): string =>
  `${webhooksAddress(tenant)}/${id}`;

interface DeliveriesShown {
  readonly tenant: Tenant;
  readonly webhook: TenantWebhook;
  /** Newest first. */
  readonly attempts: readonly Attempt[];
}

/** The page of the last attempts to deliver a message to a webhook. */
export function deliveriesPage(
  { tenant, webhook, attempts }: DeliveriesShown,
  visit: TenantPageVisit,
) {
  const { host } = new URL(webhook.url);
  const isLast = ({ kind, number }: Attempt, at: number) =>
    attempts.findIndex((one) => one.kind === kind && one.number === number) === at;
  return {
    ...commonView(phrase('tenants:webhooks.log.of', { host }), visit),
    address: deliveriesAddress(tenant.name, webhook.id.toString('base64url')),
    tenant: { address: tenantAddress(tenant.name), displayName: tenant.displayName },
    webhooks: webhooksAddress(tenant.name),
    host,
    attempts: attempts.map((attempt, at) => ({
      ...attempt,
      at: new Date(attempt.at).toISOString(),
      outcome: attempt.arrived ? attempt.outcome : failurePhrase(attempt.outcome),
      /** Whether the message can be sent again from here: once, however often it was tried. */
      isLast: isLast(attempt, at),
    })),
    mayChangeWebhooks: may(visit.account, 'webhooks:change'),
  };
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
