import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  COUNT_FINDINGS,
  FINDINGS_OF_RULE,
  NEXT_RULE,
  type FindingRow,
} from './finding.statements.js';

/** Keys of a relying party that break a rule. */
export interface BrokenRule {
  readonly rule: string;
  readonly relyingParty: RelyingParty;
  readonly keys: number;
  readonly users: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

/** Maximum number of keys to count for a rule, so that a page need not wait longer. */
const MAX_COUNTED = 10_000;

/** Finds the rules that stored keys break, and the users of these keys. */
@Injectable()
export class BrokenRules {
  constructor(private readonly database: Database) {}

  async of(rps: readonly RelyingParty[]): Promise<BrokenRule[]> {
    const broken: BrokenRule[] = [];
    for (const relyingParty of rps) {
      let rule = await this.next(relyingParty, '');
      while (rule !== undefined) {
        broken.push(await this.count(relyingParty, rule));
        rule = await this.next(relyingParty, rule);
      }
    }
    return broken;
  }

  /** The findings of a rule after an ID. */
  page(
    rp: RelyingParty,
    rule: string,
    span: { readonly after: Buffer; readonly limit: number },
  ): Promise<FindingRow[]> {
    return this.database.query(FINDINGS_OF_RULE[this.database.kind], {
      ...scope(rp),
      rule,
      ...span,
    });
  }

  private async next(rp: RelyingParty, after: string): Promise<string | undefined> {
    const [row] = await this.database.query(NEXT_RULE[this.database.kind], {
      ...scope(rp),
      after,
    });
    return row?.rule;
  }

  private async count(relyingParty: RelyingParty, rule: string): Promise<BrokenRule> {
    const params = { ...scope(relyingParty), rule, most: MAX_COUNTED + 1 };
    const [row] = await this.database.query(COUNT_FINDINGS[this.database.kind], params);
    const keys = Number(row?.keyCount ?? 0);
    const more = keys > MAX_COUNTED;
    const users = Number(row?.userCount ?? 0);
    return { rule, relyingParty, keys: Math.min(keys, MAX_COUNTED), users, more };
  }
}
