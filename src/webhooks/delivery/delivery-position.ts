import { Injectable } from '@nestjs/common';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { Webhook } from '../webhook.entity.js';

type Choice = Pick<Webhook, 'tenantId' | 'events' | 'relyingParties' | 'deliveredUpTo'>;

/** The number of events that are read to find out whether a webhook has one pending. */
const MAX_READ = 1_000;

/** Determines the event up to which a new or changed webhook counts as served. */
@Injectable()
export class DeliveryPosition {
  constructor(
    private readonly events: NumberedEvents,
    private readonly directory: RelyingPartyCache,
  ) {}

  /** A new webhook receives the events after the newest one. */
  ofNew(): Promise<number> {
    return this.events.last();
  }

  /** A webhook whose selection changes while none of its events are pending does too; otherwise it continues. */
  async ofChanged(webhook: Choice): Promise<number> {
    const { deliveredUpTo: after, events } = webhook;
    const upto = await this.events.last();
    await this.directory.catchUp();
    const parties = openPartiesOf(this.directory.current.relyingParties, webhook);
    const page = await this.events.after(parties, { after, upto, limit: MAX_READ });
    const isServed = page.last >= upto && !page.events.some(({ kind }) => events.includes(kind));
    return isServed ? Math.max(after, upto) : after;
  }
}

/** The relying parties of the webhook's tenant, or the selected ones. */
export const openPartiesOf = (
  all: readonly RelyingParty[],
  {
    tenantId,
    relyingParties,
  }: Pick<Webhook, 'tenantId'> & {
    readonly relyingParties: readonly string[] | null;
  },
): readonly RelyingParty[] =>
  all.filter(
    (rp) =>
      rp.tenantId.equals(tenantId) &&
      (relyingParties?.includes(rp.id.toString('base64url')) ?? true),
  );
