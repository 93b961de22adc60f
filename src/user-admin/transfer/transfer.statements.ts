import { tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { ImportEntity } from './import.entity.js';

const run = tableOf(ImportEntity);
const r = tableOf(RelyingPartyEntity, 'r');

/**
 * tally, now, rp, run, id of rp: changes nothing unless the run is still the last one, and the relying party
 * open.
 */
export const MOVE_ON = `UPDATE ${run.from} SET ${run.tally} = ?, ${run.changedAt} = ?
  WHERE ${run.positionalScope} AND ${run.run} = ?
    AND EXISTS (SELECT 1 FROM ${r.from} WHERE ${r.id} = ? AND ${r.closedAt} = 0)`;
