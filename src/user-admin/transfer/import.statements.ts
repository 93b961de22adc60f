import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { ImportEntity } from './import.entity.js';

const run = tableOf(ImportEntity);
const r = tableOf(RelyingPartyEntity, 'r');

/** Changes nothing unless the run is still the last one, and the relying party open. */
export const ADVANCE_IMPORT = sql<Scope & { run: Buffer; tally: string; now: number }>(
  `UPDATE ${run.from} SET ${run.tally} = :tally, ${run.changedAt} = :now
  WHERE ${run.scope} AND ${run.run} = :run
    AND EXISTS (SELECT 1 FROM ${r.from} WHERE ${r.id} = :relyingPartyId AND ${r.closedAt} = 0)`,
);
