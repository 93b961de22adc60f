import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Query } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { NEXT_MODEL } from './user-list.statements.js';

/** Most steps along the index: each finds the next model by one look-up, however many keys a model has. */
const MOST_STEPS = 200;

/** Finds which models the keys of relying parties are of; the keys are not counted. */
@Injectable()
export class ModelsHeld {
  private readonly next: Query<{ aaguid: Buffer | null }>;

  constructor(database: Database) {
    this.next = database.query(NEXT_MODEL);
  }

  /** AAGUIDs, each once. Where there are very many models or relying parties, some are missing. */
  async of(rps: readonly RelyingParty[]): Promise<readonly Buffer[]> {
    const held = new Map<string, Buffer>();
    let steps = 0;
    for (const rp of rps) {
      let aaguid: Buffer | undefined = Buffer.alloc(0);
      while (aaguid && (steps += 1) <= MOST_STEPS) {
        const [row]: { aaguid: Buffer | null }[] = await this.next.all(rp.id, aaguid);
        aaguid = row?.aaguid ?? undefined;
        if (aaguid) held.set(aaguid.toString('hex'), aaguid);
      }
    }
    return [...held.values()];
  }
}
