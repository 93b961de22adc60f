import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../../events/event.entity.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import type { EventRange } from '../../events/event.statements.js';

const e = tableOf(EventEntity, 'e');
const event = tableOf(EventEntity);
const r = tableOf(RelyingPartyEntity, 'r');
const t = tableOf(Tenant, 't');

/** The relying parties of open tenants, and their events without a final count. */
export const SIZE_OF_TENANTS = sql<
  { names: readonly string[]; from: number },
  { relyingParties: number; events: number | string }
>(`SELECT COUNT(*) AS relyingParties, COALESCE(SUM(party.events), 0) AS events
  FROM (SELECT (SELECT COUNT(*) FROM ${e.from}
      WHERE ${e.relyingPartyId} = ${r.id} AND ${e.at} >= :from) AS events
    FROM ${r.from} JOIN ${t.from} ON ${t.id} = ${r.tenantId}
    WHERE ${t.name} IN (:...names) AND ${t.closedAt} = 0) party`);

/** The number of events in a range, counted up to `most`. */
export const COUNT_SOME_EVENTS = sql<EventRange & { most: number }, { n: number }>(
  `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM ${event.from}
    WHERE ${event.id} >= :from AND ${event.id} < :to LIMIT :most) few`,
);
