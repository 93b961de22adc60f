import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { Policy } from '../../tenancy/policy/policy.js';
import type { PolicyRule } from '../../tenancy/policy/policy-values.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { StoredKeyState } from '../../users/credentials/key-state.js';
import { FINDING_OF, FINDINGS_OF } from './finding.statements.js';
import type { FindingOnKey } from './evaluation/next-key-state.js';

/** The notice to users whose key cannot sign in after a certain day. */
interface FindingNotice {
  readonly rule: string;
  /** The error code with which sign-ins will be refused. */
  readonly errorCode: Code;
  /** When refusals begin, ISO 8601. */
  readonly from: string;
}

/** The current finding about a key. */
export interface OpenFinding extends FindingOnKey, StoredKeyState {
  /** ID of the credential's row. */
  readonly id: Buffer;
  /** When the rule begins to apply to sign-ins, in ms since 1970; `undefined` unless that is in the future. */
  readonly from: number | undefined;
}

/** Finds the findings about keys, and notices about rules that will apply to sign-ins. */
@Injectable()
export class KeyFindings {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Whether a rule will apply to sign-ins some day. Otherwise this check is the only cost of a sign-in. */
  isNoticeDue({ policy: { phases } }: RelyingParty): boolean {
    return phases.length > 0 && phases.some((from) => from > this.clock.now());
  }

  /** @param credentialHash SHA-256 of the ID of the credential that has just signed in */
  async notice(rp: RelyingParty, credentialHash: Buffer): Promise<FindingNotice | undefined> {
    const [found] = await this.database.query(FINDING_OF, { ...scope(rp), credentialHash });
    if (!found) return undefined;
    const { rule, code: errorCode } = found;
    const from = this.signInsFrom(rp, rule);
    return from === undefined ? undefined : { rule, errorCode, from: new Date(from).toISOString() };
  }

  /** @param ids row IDs of credentials; the result omits keys without a finding */
  async of(rp: RelyingParty, ids: readonly Buffer[]): Promise<readonly OpenFinding[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.query(FINDINGS_OF, { ...scope(rp), ids });
    return rows.map((row) => ({
      ...row,
      enabled: Boolean(row.enabled),
      from: this.signInsFrom(rp, row.rule),
    }));
  }

  /** From when on a rule will apply to sign-ins, in ms since 1970; `undefined` unless that is in the future. */
  private signInsFrom({ policy }: RelyingParty, name: string): number | undefined {
    const rule: unknown = policy[name as keyof Policy];
    const from = isRule(rule) ? rule.signInsFrom : undefined;
    return from !== undefined && from > this.clock.now() ? from : undefined;
  }
}

const isRule = (value: unknown): value is PolicyRule<unknown> =>
  typeof value === 'object' && value !== null && 'mode' in value;
