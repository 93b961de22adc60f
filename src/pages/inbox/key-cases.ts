import { Injectable } from '@nestjs/common';
import type { Account } from '../../platform/access/accounts/account.js';
import { CachedValue } from '../../platform/common/caching.js';
import { valueIfSoon } from '../../platform/pages/value-if-soon.js';
import { MenuCounts } from '../../platform/pages/menu-counts.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { FindingDecision } from '../../trust/findings/decisions/finding-decision.entity.js';
import {
  FindingDecisions,
  type DecidedFindings,
  type FindingName,
} from '../../trust/findings/decisions/finding-decisions.js';
import { KeyFindings, type BrokenRule } from '../../trust/findings/key-findings.js';
import { isOfReport } from '../../trust/findings/evaluation/next-key-state.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import { CopiedKeys, type CopiedKey } from './copied-keys.js';
import { RefusedModels, type RefusedModel } from './refused-models.js';

/** A finding at a relying party. */
interface KeyCase {
  readonly relyingParty: RelyingParty;
  /** Absent for a copied key that was deleted. */
  readonly name: FindingName | undefined;
  readonly decision: FindingDecision | undefined;
  readonly isAccepted: boolean;
  /** Whether it is neither handled nor accepted. */
  readonly isOpen: boolean;
}

export type CopiedCase = CopiedKey & KeyCase;
type ModelCase = RefusedModel & KeyCase;
export type RuleCase = BrokenRule & KeyCase;

/** The findings about keys at some relying parties, open and handled ones. */
export interface KeyCases {
  readonly copied: readonly CopiedCase[];
  readonly models: readonly ModelCase[];
  readonly rules: readonly RuleCase[];
}

/** How many findings of each kind are open. */
export interface OpenCounts {
  readonly copied: number;
  readonly models: number;
  readonly reported: number;
  readonly rules: number;
}

/** A page does not wait longer for the number in its menu. */
const PATIENCE_MS = 100;

/**
 * Findings about keys. Each is handled by what is done: a copied key is disabled or deleted, no key of a refused model
 * is enabled and the policy refuses new ones, no key that breaks a rule can sign in unless an account has let it in. Or
 * an account accepts it for a time.
 */
@Injectable()
export class KeyCaseReader {
  private readonly all = new CachedValue(() => this.of(this.relyingParties.current.all));

  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly copied: CopiedKeys,
    private readonly models: RefusedModels,
    private readonly findings: KeyFindings,
    private readonly decisions: FindingDecisions,
    menu: MenuCounts,
  ) {
    menu.register('findings', async (account) => {
      if (!may(account, 'users:read')) return undefined;
      const counts = await valueIfSoon(this.openOf(account), PATIENCE_MS);
      return counts && Object.values(counts).reduce((sum: number, n: number) => sum + n, 0);
    });
  }

  /** Reads the findings from the database; nothing is cached. */
  async of(rps: readonly RelyingParty[]): Promise<KeyCases> {
    const decided = await this.decisions.at(rps);
    const copied = await this.copied.latest(rps);
    const models = await this.models.at(rps);
    const rules = await this.findings.brokenRules(rps);
    return {
      copied: copied.map((one) => ({ ...one, ...copiedCase(decided, one) })),
      models: models.map((one) => ({ ...one, ...modelCase(decided, one) })),
      rules: rules.map((one) => ({ ...one, ...ruleCase(decided, one) })),
    };
  }

  /** The numbers of open findings that an account sees, cached for all accounts. */
  async openOf(account: Account): Promise<OpenCounts> {
    const visible = new Set(this.relyingParties.visibleTo(account).map(({ domain }) => domain));
    const isSeen = ({ relyingParty }: { readonly relyingParty: RelyingParty }) =>
      visible.has(relyingParty.domain);
    const { copied, models, rules } = await this.all.read();
    const openRules = rules.filter(isSeen).filter(({ isOpen }) => isOpen);
    const refused = may(account, 'models:read') ? models.filter(isSeen) : [];
    const reported = openRules.filter(isOfReport).length;
    return {
      copied: copied.filter(isSeen).filter(({ isOpen }) => isOpen).length,
      models: new Set(refused.filter(({ isOpen }) => isOpen).map(({ aaguid }) => aaguid)).size,
      reported,
      rules: openRules.length - reported,
    };
  }
}

interface RawCase {
  readonly name: FindingName | undefined;
  /** Whether nothing has handled it. */
  readonly isOpen: boolean;
  readonly alarm?: Buffer;
}

function caseOf(
  decided: DecidedFindings,
  relyingParty: RelyingParty,
  { name, isOpen, alarm }: RawCase,
): KeyCase {
  const isAccepted = name !== undefined && decided.isAccepted(relyingParty, name, alarm);
  const decision = name && decided.of(relyingParty, name);
  return { relyingParty, name, decision, isAccepted, isOpen: isOpen && !isAccepted };
}

const copiedCase = (
  decided: DecidedFindings,
  { relyingParty, key, alarm, isOpen }: CopiedKey,
): KeyCase => {
  const name = key && ({ kind: 'copied', subject: key.credentialHash } as const);
  return caseOf(decided, relyingParty, { name, isOpen, alarm });
};

const modelCase = (
  decided: DecidedFindings,
  { relyingParty, aaguid, isOpen }: RefusedModel,
): KeyCase => {
  const name = { kind: 'model', subject: aaguidBytes(aaguid) } as const;
  return caseOf(decided, relyingParty, { name, isOpen });
};

const ruleCase = (decided: DecidedFindings, { relyingParty, rule, open }: BrokenRule): KeyCase => {
  const name = { kind: 'rule', subject: Buffer.from(rule) } as const;
  return caseOf(decided, relyingParty, { name, isOpen: open.keys > 0 });
};
