import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { COUNT_MODELS } from '../user.statements.js';

/** How many credentials of a model a relying party has. */
export interface ModelCount {
  /** Hex. */
  readonly relyingParty: string;
  readonly aaguid: string;
  readonly n: number;
}

/** Counts which authenticator models are in use; all credentials count, disabled ones too. */
@Injectable()
export class ModelUse {
  constructor(private readonly database: Database) {}

  /** Over all tenants. Millions of credentials take a second: ask seldom. */
  async count(): Promise<ModelCount[]> {
    const rows = await this.database.query(COUNT_MODELS);
    return rows.map(({ relyingPartyId, aaguid, n }) => ({
      relyingParty: relyingPartyId.toString('hex'),
      aaguid: aaguidText(aaguid),
      n: Number(n),
    }));
  }
}
