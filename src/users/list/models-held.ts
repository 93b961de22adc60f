import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { NEXT_MODEL } from './user-list.statements.js';

/** Most steps along the index: each finds the next model by one look-up, however many keys a model has. */
const MOST_STEPS = 200;

/** Finds which models the keys of relying parties are of; the keys are not counted. */
@Injectable()
export class ModelsHeld {
  constructor(private readonly database: Database) {}

  /** AAGUIDs, each once. Where there are very many models or relying parties, some are missing. */
  async of(rps: readonly RelyingParty[]): Promise<readonly Buffer[]> {
    const held = new Map<string, Buffer>();
    let steps = 0;
    for (const rp of rps) {
      let aaguid: Buffer | undefined = Buffer.alloc(0);
      while (aaguid && (steps += 1) <= MOST_STEPS) {
        const rows: { aaguid: Buffer | null }[] = await this.next(rp, aaguid);
        aaguid = rows[0]?.aaguid ?? undefined;
        if (aaguid) held.set(aaguid.toString('hex'), aaguid);
      }
    }
    return [...held.values()];
  }

  private next({ id: relyingPartyId }: RelyingParty, aaguid: Buffer) {
    return this.database.query(NEXT_MODEL, { relyingPartyId, aaguid });
  }
}
