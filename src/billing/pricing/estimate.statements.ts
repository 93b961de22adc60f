import { select } from '../../platform/database/statement.js';
import { computed, COUNT, tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../../events/event.entity.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import type { EventRange } from '../../events/event.statements.js';

const event = tableOf(EventEntity, 'e');
const events = tableOf(EventEntity);
const relyingParty = tableOf(RelyingPartyEntity, 'r');
const tenant = tableOf(Tenant, 't');

/** The relying parties of open tenants, and their events without a final count. */
export const SIZE_OF_TENANTS = select({
  relyingParties: computed<number>('COUNT(*)'),
  events: computed<number>('CAST(COALESCE(SUM(party.events), 0) AS SIGNED)'),
}).from<{ names: readonly string[]; from: number }>(`
  (SELECT (SELECT COUNT(*) FROM ${event.from}
      WHERE ${event.relyingPartyId} = ${relyingParty.id} AND ${event.at} >= :from) AS events
    FROM ${relyingParty.from} JOIN ${tenant.from} ON ${tenant.id} = ${relyingParty.tenantId}
    WHERE ${tenant.name} IN (:...names) AND ${tenant.closedAt} = 0) party`);

/** The number of events in a range, counted up to `most`. */
export const COUNT_SOME_EVENTS = select(COUNT).from<EventRange & { most: number }>(`
  (SELECT 1 AS one FROM ${events.from}
    WHERE ${events.id} >= :from AND ${events.id} < :to LIMIT :most) few`);
