import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { Policy } from '../../tenancy/policy/policy.js';
import type { PolicyRule } from '../../tenancy/policy/policy-value-types.js';
import type { KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import type { StoredKeyState } from '../../users/credentials/key-state.js';
import {
  COUNT_FINDINGS,
  COUNT_SOME_FINDINGS,
  FINDING_OF,
  FINDINGS,
  FINDINGS_OF,
  FINDINGS_OF_RULE,
  NEXT_RULE,
  type FindingRow,
} from './finding.statements.js';
import { isOfReport, type FindingOnKey } from './evaluation/next-key-state.js';

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

/** Keys of a relying party that break a rule. */
export interface BrokenRule {
  readonly rule: string;
  readonly relyingParty: RelyingParty;
  readonly keys: number;
  readonly users: number;
  /** Those that somebody has to decide about. */
  readonly open: { readonly keys: number; readonly users: number };
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

/** A page of findings in the order of their IDs, by default the first one. */
interface Span {
  readonly after?: Buffer | undefined;
  readonly limit: number;
}

/** Maximum number of keys to count for a rule, so that a page need not wait longer. */
const MAX_COUNTED = 10_000;

/** Maximum number of keys to count for all tenants, so that the count stays cheap. */
const MAX_OF_ALL = 1_000;

/** Finds the findings about keys, the rules that they break, and notices about rules that will apply to sign-ins. */
@Injectable()
export class KeyFindings {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Whether a rule will apply to sign-ins some day. Otherwise this check is the only cost of a sign-in. */
  isNoticeDue({ policy: { phases } }: KeyDomain): boolean {
    return phases.length > 0 && phases.some((from) => from > this.clock.now());
  }

  /** @param credentialHash SHA-256 of the ID of the credential that has just signed in */
  async notice(rp: KeyDomain, credentialHash: Buffer): Promise<FindingNotice | undefined> {
    const [found] = await this.database.query(FINDING_OF, { ...scope(rp), credentialHash });
    if (!found) return undefined;
    const { rule, code: errorCode } = found;
    const from = this.signInsFrom(rp, rule);
    return from === undefined ? undefined : { rule, errorCode, from: new Date(from).toISOString() };
  }

  /** @param ids row IDs of credentials; the result omits keys without a finding */
  async of(rp: KeyDomain, ids: readonly Buffer[]): Promise<readonly OpenFinding[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.query(FINDINGS_OF, { ...scope(rp), ids });
    return rows.map((row) => ({
      ...row,
      enabled: Boolean(row.enabled),
      from: this.signInsFrom(rp, row.rule),
    }));
  }

  async page(rp: RelyingParty, { after = NO_ID, limit }: Span) {
    const params = { ...scope(rp), after, limit: limit + 1 };
    return pageOf(await this.database.query(FINDINGS, params), limit);
  }

  async pageOfRule(rp: RelyingParty, rule: string, { after = NO_ID, limit }: Span) {
    const params = { ...scope(rp), rule, after, limit: limit + 1 };
    return pageOf(await this.database.query(FINDINGS_OF_RULE[this.database.kind], params), limit);
  }

  /** The rules that stored keys break, and how many keys of how many users. */
  async brokenRules(rps: readonly RelyingParty[]): Promise<BrokenRule[]> {
    const broken: BrokenRule[] = [];
    for (const relyingParty of rps) {
      let rule = await this.nextRule(relyingParty, '');
      while (rule !== undefined) {
        broken.push(await this.count(relyingParty, rule));
        rule = await this.nextRule(relyingParty, rule);
      }
    }
    return broken;
  }

  private async nextRule(rp: RelyingParty, after: string): Promise<string | undefined> {
    const params = { ...scope(rp), after };
    const [row] = await this.database.query(NEXT_RULE[this.database.kind], params);
    return row?.rule;
  }

  /** Counts the keys that break a rule. */
  async count(relyingParty: RelyingParty, rule: string): Promise<BrokenRule> {
    const params = { ...scope(relyingParty), rule, most: MAX_COUNTED + 1 };
    const [row] = await this.database.query(COUNT_FINDINGS[this.database.kind], params);
    const keys = Number(row?.keyCount ?? 0);
    const more = keys > MAX_COUNTED;
    const users = Number(row?.userCount ?? 0);
    const all = { keys: Math.min(keys, MAX_COUNTED), users };
    // A report disables its key, and is open until somebody deletes or enables the key.
    const open = isOfReport({ rule })
      ? all
      : { keys: Number(row?.openKeys ?? 0), users: Number(row?.openUsers ?? 0) };
    return { rule, relyingParty, ...all, open, more };
  }

  /** How many keys of all tenants have a finding; at most 1,000 are counted. */
  async countSome(): Promise<number> {
    const [row] = await this.database.query(COUNT_SOME_FINDINGS, { most: MAX_OF_ALL });
    return Number(row?.keyCount ?? 0);
  }

  /** From when on a rule will apply to sign-ins, in ms since 1970; `undefined` unless that is in the future. */
  private signInsFrom({ policy }: Pick<RelyingParty, 'policy'>, name: string): number | undefined {
    const rule: unknown = policy[name as keyof Policy];
    const from = isRule(rule) ? rule.signInsFrom : undefined;
    return from !== undefined && from > this.clock.now() ? from : undefined;
  }
}

/**
 * The findings of a page, and `next` if there are more, in Base64URL.
 *
 * @param rows one more than the page if there is a next page
 */
function pageOf(rows: readonly FindingRow[], limit: number) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, next: last?.id.toString('base64url') };
}

const isRule = (value: unknown): value is PolicyRule<unknown> =>
  typeof value === 'object' && value !== null && 'mode' in value;
