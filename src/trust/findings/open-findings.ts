import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import { padded } from '../../database/padded.js';
import { scopeParams } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { findingsOf } from './finding.statements.js';
import { signInsFrom } from './finding-notices.js';
import type { Found } from './settlement.js';

/** The present finding about a key. */
export interface OpenFinding extends Found {
  /** ID of the credential's row. */
  readonly id: Buffer;
  readonly enabled: boolean;
  /** Error code with which sign-ins are refused, while the finding acts on the key. */
  readonly refusedWith: string | null;
  /**
   * When the rule begins to hold for sign-ins, in ms since 1970; `undefined` unless that is in the future.
   */
  readonly from: number | undefined;
}

/** Finds the findings about keys, for the help desk. */
@Injectable()
export class OpenFindings {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param ids IDs of credentials' rows; the answer leaves out keys without a finding */
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
