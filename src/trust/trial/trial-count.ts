import type { Problem } from '../../platform/errors/reasons.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { keyStateOf } from '../../users/credentials/key-state.js';
import type { ActingBreach } from '../findings/evaluation/key-evaluation.js';
import type { KeyToTry } from '../findings/evaluation/stored-keys.js';
import type { RuleBreach } from '../rule.js';

const MAX_EXAMPLES = 5;

const firstEnforced = (breaches: readonly RuleBreach[]) =>
  breaches.find(({ mode }) => mode === 'enforce');

/** A rule, and the keys that break it. */
export interface TriedRule {
  readonly rule: string;
  /** The profile that applies to the users; `undefined` if the policy itself does. */
  readonly profile: string | undefined;
  readonly outcome: 'report' | 'refuse';
  readonly code: Code;
  readonly problem: Problem;
  count: number;
  readonly models: Map<string, number>;
  /** Keys of different users. */
  readonly examples: KeyToTry[];
}

/** How a key or registration is judged. */
interface Judging {
  /** Picks the breach that refuses it, if any. */
  readonly refusalOf?: (breaches: readonly RuleBreach[]) => RuleBreach | undefined;
  /** The name of the profile that applies to the user. */
  readonly profile: string | undefined;
}

/** How many keys or registrations would pass, be reported or be refused, and why. */
export class TrialCount {
  readonly counts = {
    total: 0,
    pass: 0,
    report: 0,
    refuse: 0,
    /** Keys that cannot be judged, since too little of their registration was stored. */
    notJudged: 0,
    /** Registrations that requested another attestation than the policy does. */
    otherAttestation: 0,
    /** Keys that have never verified their user, if the policy requires it at every sign-in. */
    unverified: 0,
  };
  private readonly broken = new Map<string, TriedRule>();

  get rules(): readonly TriedRule[] {
    return [...this.broken.values()].sort((one, other) => other.count - one.count);
  }

  /**
   * Counts a key or registration under the first rule that refuses it, as in a registration's answer; otherwise
   * under each rule that reports it, as in events.
   *
   * @param breaches in the order of evaluation; `undefined` if it cannot be judged
   */
  add(
    key: KeyToTry,
    breaches: readonly RuleBreach[] | undefined,
    { refusalOf = firstEnforced, profile }: Judging,
  ): void {
    this.counts.total += 1;
    if (breaches === undefined) {
      this.counts.notJudged += 1;
      return;
    }
    const refusal = refusalOf(breaches);
    if (refusal) this.counts.refuse += 1;
    else if (breaches.length > 0) this.counts.report += 1;
    else this.counts.pass += 1;
    for (const breach of refusal ? [refusal] : breaches) this.addBreach(key, breach, profile);
  }

  private addBreach(
    key: KeyToTry,
    { rule, mode, code, problem }: RuleBreach,
    profile: string | undefined,
  ): void {
    const outcome = mode === 'enforce' ? 'refuse' : 'report';
    const name = JSON.stringify([rule, outcome, code, profile]);
    const found = this.broken.get(name) ?? {
      rule,
      profile,
      outcome,
      code,
      problem,
      count: 0,
      models: new Map<string, number>(),
      examples: [],
    };
    this.broken.set(name, found);
    found.count += 1;
    const aaguid = aaguidText(key.aaguid);
    found.models.set(aaguid, (found.models.get(aaguid) ?? 0) + 1);
    const isNewUser = found.examples.every(({ userId }) => !userId.equals(key.userId));
    if (isNewUser && found.examples.length < MAX_EXAMPLES) found.examples.push(key);
  }
}

interface TriedUser {
  readonly username: string;
  readonly displayName: string;
  couldSignIn: boolean;
  canSignIn: boolean;
  /** Whether a key of the user breaks no rule, or cannot be judged. */
  keepsRules: boolean;
  /** Whether a remaining key has verified its user, or no sign-in requires it. */
  canVerify: boolean;
}

/** How many users would have no key left. */
export class TrialUsers {
  private readonly users = new Map<string, TriedUser>();

  get total(): number {
    return this.users.size;
  }

  has(userId: Buffer): boolean {
    return this.users.has(mapKey(userId));
  }

  /** How many users can sign in today: not suspended, with an enabled key that no finding refuses. */
  get canSignIn(): number {
    return [...this.users.values()].filter((user) => user.couldSignIn).length;
  }

  /** Users who keep a key, but only keys that may be unable to verify their user as sign-ins require. */
  get unverified(): readonly TriedUser[] {
    return [...this.users.values()].filter(
      (user) => user.couldSignIn && user.canSignIn && !user.canVerify,
    );
  }

  get withoutKey(): readonly TriedUser[] {
    return [...this.users.values()].filter((user) => user.couldSignIn && !user.canSignIn);
  }

  /** Users who can sign in today and all of whose keys break a rule, including those of `withoutKey`. */
  get onlyBrokenKeys(): number {
    return [...this.users.values()].filter((user) => user.couldSignIn && !user.keepsRules).length;
  }

  /**
   * @param finding the finding that the policy would cause
   * @param refusesLater whether an enforced rule refuses its sign-ins, today or from a later day on
   * @param isUnverified whether sign-ins require user verification, which this key has never performed
   */
  add(
    key: KeyToTry,
    finding: ActingBreach | undefined,
    refusesLater: boolean,
    isUnverified: boolean,
  ): void {
    const id = mapKey(key.userId);
    const user = this.users.get(id) ?? {
      username: key.username,
      displayName: key.displayName,
      couldSignIn: false,
      canSignIn: false,
      keepsRules: false,
      canVerify: false,
    };
    this.users.set(id, user);
    const { disablingJson, refusedWith } = keyStateOf(key);
    if (disablingJson !== null || key.suspendedBy !== null) return;
    user.couldSignIn ||= key.enabled && refusedWith === null;
    const remains = !refusesLater && (finding === undefined || finding.action === 'report');
    user.canSignIn ||= remains;
    user.canVerify ||= remains && !isUnverified;
    user.keepsRules ||= finding === undefined;
  }
}
