import { Injectable } from '@nestjs/common';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import type { Webhook } from '../webhook.entity.js';

type Choice = Pick<Webhook, 'tenantId' | 'events' | 'relyingParties' | 'deliveredUpTo'>;

/** Events that are read to see whether a webhook has one to come. */
const MOST_READ = 1_000;

/** Up to which event a webhook that is made or changed counts as served. */
@Injectable()
export class DeliveryPosition {
  constructor(
    private readonly events: NumberedEvents,
    private readonly directory: TenantDirectory,
  ) {}

  /** A new webhook gets what comes behind the newest event. */
  ofNew(): Promise<number> {
    return this.events.last();
  }

  /** So does a webhook whose choice changes while none of the events to come is for it; else it goes on. */
  async ofChanged(webhook: Choice): Promise<number> {
    const { deliveredUpTo: after, events } = webhook;
    const upto = await this.events.last();
    await this.directory.catchUp();
    const parties = openPartiesOf(this.directory.current.relyingParties, webhook);
    const page = await this.events.after(parties, { after, upto, limit: MOST_READ });
    const isServed = page.last >= upto && !page.events.some(({ kind }) => events.includes(kind));
    return isServed ? Math.max(after, upto) : after;
  }
}

/** Those of the webhook's tenant, or the chosen ones of them. */
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
