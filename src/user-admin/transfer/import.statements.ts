import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { ImportEntity } from './import.entity.js';

const imports = tableOf(ImportEntity);
const relyingParty = tableOf(RelyingPartyEntity, 'r');

/** Changes nothing unless the run is still the last one, and the relying party open. */
export const ADVANCE_IMPORT = sql<Scope & { run: Buffer; tally: string; now: number }>(
  `UPDATE ${imports.from} SET ${imports.tally} = :tally, ${imports.changedAt} = :now
  WHERE ${imports.scope} AND ${imports.run} = :run
    AND EXISTS (SELECT 1 FROM ${relyingParty.from} WHERE ${relyingParty.id} = :relyingPartyId AND ${relyingParty.closedAt} = 0)`,
);
