import { Injectable } from '@nestjs/common';
import { EVENT_KINDS, SENTENCES } from '../../ledger/event.view.js';
import { may } from '../../security/permissions.js';
import { OwnTenants } from '../../tenancy/own-tenants.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { webhookView } from '../../webhooks/webhook.view.js';
import type { WebhookView } from '../../webhooks/webhook.answer.js';
import { Webhooks } from '../../webhooks/webhooks.service.js';
import { textsIn } from '../tenants/form.js';
import { addressOf, common, fieldsOf } from '../tenants/tenants.view.js';
import type { CommonView, Visit } from '../tenants/tenants.view.js';

interface Tick {
  readonly value: string;
  readonly says: string;
  readonly ticked: boolean;
}

interface Row extends WebhookView {
  readonly address: string;
  readonly badge: { readonly kind: string; readonly text: string };
  readonly isOn: boolean;
  /** It is worth saying what was wrong: nothing has arrived since. */
  readonly isFailing: boolean;
}

/** Webhooks of a tenant for the template. */
export interface WebhooksPage extends CommonView {
  readonly address: string;
  readonly tenant: { readonly address: string; readonly displayName: string };
  readonly webhooks: readonly Row[];
  readonly kinds: readonly Tick[];
  readonly domains: readonly Tick[];
  /** A secret that was just made. */
  readonly secret: string | undefined;
  readonly trial: Trial | undefined;
  readonly mayChangeWebhooks: boolean;
}

/** What came of a test. */
export interface Trial {
  readonly arrived: boolean;
  readonly failure: string | null;
}

/** What a page tells this once. */
export interface News {
  readonly secret?: string;
  readonly trial?: Trial;
}

const BADGES: Readonly<Record<WebhookView['state'], Row['badge']>> = {
  well: { kind: 'good', text: 'on' },
  failing: { kind: 'warn', text: 'nothing arrives' },
  off: { kind: '', text: 'off' },
  'given-up': { kind: 'bad', text: 'off: nothing arrived' },
};

/** Gathers what the page of a tenant's webhooks shows. */
@Injectable()
export class WebhookPages {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly tenants: OwnTenants,
    private readonly tenancy: TenancyService,
  ) {}

  /** @throws ApiError E0044R */
  async page(name: string, visit: Visit, news: News = {}): Promise<WebhooksPage> {
    const { account, sent } = visit;
    const tenant = await this.tenants.find(account, name);
    const address = `${addressOf(name)}/_webhooks`;
    const parties = await this.tenancy.listRelyingParties(name);
    const found = await this.webhooks.list(account, { tenant: name });
    const views = found.map((webhook) =>
      webhookView(webhook, this.tenants.domainsOf(webhook.relyingParties)),
    );
    const ticked = (field: string) => textsIn(sent?.fields, field);
    return {
      ...common(`Webhooks of ${tenant.displayName}`, visit),
      fields: fieldsOf(visit, {}),
      address,
      tenant: { address: addressOf(name), displayName: tenant.displayName },
      webhooks: views.map((view) => rowOf(view, address)),
      kinds: EVENT_KINDS.map((kind) => tick(kind, SENTENCES[kind], ticked('events'))),
      domains: parties.map(({ domain }) => tick(domain, '', ticked('relyingParties'))),
      secret: news.secret,
      trial: news.trial,
      mayChangeWebhooks: may(account, 'webhooks:change'),
    };
  }
}

const tick = (value: string, says: string, ticked: readonly string[]): Tick => ({
  value,
  says,
  ticked: ticked.includes(value),
});

const rowOf = (view: WebhookView, address: string): Row => ({
  ...view,
  address: `${address}/${view.id}`,
  badge: BADGES[view.state],
  isOn: view.state === 'well' || view.state === 'failing',
  isFailing: view.state === 'failing' || view.state === 'given-up',
});
