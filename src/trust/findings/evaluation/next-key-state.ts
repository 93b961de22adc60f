import {
  isEnabled,
  isReported,
  keyStateOf,
  type KeyState,
  type StoredKeyState,
} from '../../../users/credentials/key-state.js';
import { KEY_STATE } from '../../../users/credentials/credential.entity.js';
import type { Finding } from '../finding.entity.js';

export type FindingOnKey = Readonly<Pick<Finding, 'rule' | 'code' | 'action'>>;

export interface EvaluatedState extends StoredKeyState {
  readonly finding: FindingOnKey | undefined;
}

/** The finding about a key that its user reported. The report disables the key, so the finding itself only reports. */
const REPORTED_KEY: FindingOnKey = { rule: 'reported', code: 'E0034R', action: 'report' };

export const isOfReport = ({ rule }: Pick<FindingOnKey, 'rule'>): boolean =>
  rule === REPORTED_KEY.rule;

type KeyEvent = 'finding' | 'finding-closed' | 'enabled' | 'disabled';

export interface NextKeyState {
  /** The finding about the key; `undefined` if there is none. */
  readonly found: FindingOnKey | undefined;
  readonly state: KeyState;
  /** Whether the finding differs from the stored one. */
  readonly isNewFinding: boolean;
  readonly events: readonly KeyEvent[];
}

/**
 * The state of a key after its evaluation. Only the finding's part of the state follows the finding; a disabling by an
 * account stays. An account that enabled the key despite the finding has accepted the finding until it changes. While a
 * key is reported, that is its finding; the state follows the policy's nevertheless, for when an account enables it.
 *
 * @returns `undefined` if nothing changes
 */
export function nextKeyState(
  key: EvaluatedState,
  ofPolicy: FindingOnKey | undefined,
): NextKeyState | undefined {
  const before = keyStateOf(key);
  const found = isReported(key) ? REPORTED_KEY : ofPolicy;
  const isNewFinding = !isSame(key.finding, found);
  const state = { disablingJson: before.disablingJson, ...findingsPart(key, before, ofPolicy) };
  const enabled = isEnabled(state);
  if (!isNewFinding && enabled === key.enabled && isSameState(key, state)) return undefined;
  const wasFound = key.finding !== undefined || hasMark(before);
  const events: KeyEvent[] = [];
  const endsReport = isNewFinding && key.finding !== undefined && isOfReport(key.finding);
  if (wasFound && (!found || endsReport)) events.push('finding-closed');
  // The user's report has an event of its own.
  if (isNewFinding && found && !isOfReport(found)) events.push('finding');
  if (enabled !== key.enabled) events.push(enabled ? 'enabled' : 'disabled');
  return { found, state, isNewFinding, events };
}

function findingsPart(
  key: EvaluatedState,
  before: KeyState,
  found: FindingOnKey | undefined,
): Omit<KeyState, 'disablingJson'> {
  const none = { disabledByRule: null, acceptedBy: null, refusedWith: null };
  const isKnown = isSame(key.finding, found);
  // Earlier versions left no mark if an account enabled a key despite its finding.
  const wasLetIn = isKnown && key.enabled && !hasMark(before);
  if (found?.action === 'disable') {
    // The finding is deleted with its key, and found again when the key is restored.
    const accepted = isKnown || before.disabledByRule === found.rule ? before.acceptedBy : null;
    return { ...none, disabledByRule: found.rule, acceptedBy: wasLetIn ? '' : accepted };
  }
  if (found?.action === 'refuse-next-sign-in') {
    return { ...none, refusedWith: wasLetIn ? null : found.code };
  }
  return none;
}

const hasMark = ({ disabledByRule, refusedWith }: KeyState): boolean =>
  disabledByRule !== null || refusedWith !== null;

const isSame = (one: FindingOnKey | undefined, other: FindingOnKey | undefined): boolean =>
  one?.rule === other?.rule && one?.code === other?.code && one?.action === other?.action;

const isSameState = (one: KeyState, other: KeyState): boolean =>
  KEY_STATE.every((column) => one[column] === other[column]);
