import { Injectable } from '@nestjs/common';
import { AuditReader, type ForwardAuditPage } from '../../audit/audit-reader.js';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import type { Webhook } from '../webhook.entity.js';
import { wantsAction, type Receiver } from './webhook-state.js';

/** The number of events or rows that are read to find out whether a webhook has one pending. */
const MAX_PENDING = 1_000;

/** A webhook's relying parties and its position. */
type Followed = Pick<Receiver, 'tenantId' | 'relyingParties' | 'deliveredUpTo'>;

/** Reads the events and audit rows after a webhook's position. */
@Injectable()
export class WebhookBacklog {
  constructor(
    private readonly events: NumberedEvents,
    private readonly audit: AuditReader,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** @returns also the number of the newest event of all */
  async eventsAfter(webhook: Followed, limit: number) {
    const upto = await this.events.last();
    // Another instance may have added a relying party with events in this range.
    await this.relyingParties.catchUp();
    const range = { after: webhook.deliveredUpTo, upto, limit };
    return { ...(await this.events.after(this.relyingPartiesOf(webhook), range)), upto };
  }

  rowsAfter(
    webhook: Followed & { readonly tenant: string },
    range: { readonly seq: number; readonly limit: number },
  ): Promise<ForwardAuditPage> {
    const { tenant, relyingParties } = webhook;
    const domains = relyingParties && this.relyingPartiesOf(webhook).map(({ domain }) => domain);
    return this.audit.after({ tenants: [tenant] }, { ...range, ...(domains && { domains }) });
  }

  /**
   * The event up to which a webhook whose selection changes counts as served: the newest one, as for a new webhook, if
   * none of its events are pending.
   */
  async positionOf(webhook: Followed & Pick<Webhook, 'events'>): Promise<number> {
    const { events, last, upto } = await this.eventsAfter(webhook, MAX_PENDING);
    const isServed = last >= upto && !events.some(({ kind }) => webhook.events.includes(kind));
    return isServed ? Math.max(webhook.deliveredUpTo, upto) : webhook.deliveredUpTo;
  }

  /** The same for the rows of the audit trail. */
  async rowPositionOf(
    webhook: Followed & Pick<Webhook, 'events'> & { readonly tenant: Pick<Tenant, 'name'> },
    seq: number,
  ): Promise<number> {
    const named = { ...webhook, tenant: webhook.tenant.name };
    const { rows, last, more } = await this.rowsAfter(named, { seq, limit: MAX_PENDING });
    const kinds = new Set<string>(webhook.events);
    return more || rows.some(({ action }) => wantsAction(kinds, action)) ? seq : last;
  }

  /** The selected relying parties, or all of the tenant. Events of removed relying parties are not sent. */
  relyingPartiesOf({
    tenantId,
    relyingParties,
  }: Pick<Receiver, 'tenantId' | 'relyingParties'>): readonly RelyingParty[] {
    const own = this.relyingParties.current.all.filter((rp) => rp.tenantId.equals(tenantId));
    return own.filter(({ id }) => relyingParties?.includes(id.toString('base64url')) ?? true);
  }
}
