import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { BEGINNING, mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { modelKeysPath } from './index-paths.js';
import { COUNT_OF_MODEL, NEXT_MODEL } from './user-list.statements.js';
import type { WalkStep } from './walk.js';

/** Maximum number of steps along the index: each finds the next model in one lookup, however many keys a model has. */
const MAX_STEPS = 200;

@Injectable()
export class ModelKeys {
  constructor(private readonly database: Database) {}

  /** The next users after a place, with all their keys; the place is empty at the beginning. */
  step(rp: RelyingParty, aaguid: Buffer, after: Buffer, most: number): Promise<WalkStep> {
    return modelKeysPath(this.database, aaguid).step(rp, after, most);
  }

  /**
   * Like `step`, but includes users whom an earlier step found: so it misses no user who has registered a key before
   * the place in the meantime.
   */
  stepOfKeys(rp: RelyingParty, aaguid: Buffer, after: Buffer, most: number): Promise<WalkStep> {
    return modelKeysPath(this.database, aaguid, after).step(rp, after, most);
  }

  /** Number of keys of the model at a relying party, including disabled ones. */
  async countKeys({ id: relyingPartyId }: RelyingParty, aaguid: Buffer): Promise<number> {
    const [row] = await this.database.query(COUNT_OF_MODEL, { relyingPartyId, aaguid });
    return row?.n ?? 0;
  }

  /** Distinct AAGUIDs of the keys of these relying parties; incomplete if there are very many of either. */
  async modelsOf(rps: readonly RelyingParty[]): Promise<readonly Buffer[]> {
    const found = new Map<string, Buffer>();
    let steps = 0;
    for (const rp of rps) {
      let aaguid: Buffer | undefined = BEGINNING;
      while (aaguid && (steps += 1) <= MAX_STEPS) {
        const after: { relyingPartyId: Buffer; aaguid: Buffer } = { relyingPartyId: rp.id, aaguid };
        const [row] = await this.database.query(NEXT_MODEL, after);
        aaguid = row?.aaguid ?? undefined;
        if (aaguid) found.set(mapKey(aaguid), aaguid);
      }
    }
    return [...found.values()];
  }
}
