import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import { padded } from '../../database/padded.js';
import { scopeParams } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { findingsOf } from './finding.statements.js';
import { signInsFrom } from './finding-notices.js';
import type { Found } from './settlement.js';

/** What is found about a key, as it stands. */
export interface OpenFinding extends Found {
  /** Of the credential's row. */
  readonly id: Buffer;
  readonly enabled: boolean;
  /** The mark of the finding, while it acts on the key. */
  readonly refusedWith: string | null;
  /** From when on the rule will hold for sign-ins, in ms since 1970, where it does not yet. */
  readonly from: number | undefined;
}

/** Tells what is found about keys, for whoever helps their people. */
@Injectable()
export class OpenFindings {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param ids of credentials' rows; those about which nothing is found are missing in the answer */
  async of(rp: RelyingParty, ids: readonly Buffer[]): Promise<readonly OpenFinding[]> {
    if (ids.length === 0) return [];
    const asked = padded(ids);
    const query = this.database.query<Omit<OpenFinding, 'from'>>(findingsOf(asked));
    const rows = await query.all(...scopeParams(rp), ...asked);
    return rows.map((row) => ({
      ...row,
      enabled: Boolean(row.enabled),
      from: this.toCome(signInsFrom(rp.policy, row.rule)),
    }));
  }

  private toCome(from = 0): number | undefined {
    return from > this.clock.now() ? from : undefined;
  }
}
