import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import type { StoredKeyState } from '../../users/credentials/key-state.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { FINDINGS_OF } from './finding.statements.js';
import { signInsFrom } from './finding-notices.js';
import type { FindingOnKey } from './evaluation/next-key-state.js';

/** The present finding about a key. */
export interface OpenFinding extends FindingOnKey, StoredKeyState {
  /** ID of the credential's row. */
  readonly id: Buffer;
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
    const rows = await this.database.query(FINDINGS_OF, { ...scope(rp), ids });
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
