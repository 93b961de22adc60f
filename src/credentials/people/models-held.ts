import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { NEXT_MODEL } from './people.statements.js';

/** Steps along the index: each is one look-up, however many keys a model has. */
const MOST_STEPS = 200;

/** Which models the keys of relying parties are of, without counting them. */
@Injectable()
export class ModelsHeld {
  private readonly next: Query<{ aaguid: Buffer | null }>;

  constructor(database: Database) {
    this.next = database.query(NEXT_MODEL);
  }

  /** AAGUIDs, each once; of very many models or relying parties not all. */
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
