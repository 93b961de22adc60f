import type { DatabaseKind } from '../../platform/database/entities/table.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { SET_KEY_STATE } from './key-state.statements.js';
import { KEY_STATE, type Credential } from './credential.entity.js';

/** Who disabled a key, and why, as stored in the key's row. */
export interface KeyDisabling {
  /** Absent if no account did, or if an earlier version did not record it. */
  readonly account?: string;
  readonly reason?: string | undefined;
  /**
   * Set if no account disabled the key: its counter did not rise, it was imported as disabled, or its user reported
   * that it is somebody else's.
   */
  readonly cause?: 'counter' | 'import' | 'reported';
  /** When the user reported it, in ms since 1970. */
  readonly reportedAt?: number;
  /**
   * The job, Base64URL, or the request ID of a page that disabled the key. Its undo enables only the keys that it
   * disabled. Absent if the disabling cannot be undone.
   */
  readonly job?: string | undefined;
  /** Later jobs that disable the key too: it stays disabled until each of them is undone. */
  readonly others?: readonly KeyDisabling[];
}

/** Why a key cannot sign in. An account and a finding disable it independently; it is enabled if neither does. */
export type KeyState = Readonly<Pick<Credential, (typeof KEY_STATE)[number]>>;

/** The columns of a key's row. */
export interface StoredKeyState extends KeyState {
  /** Read by sign-ins: whether none of the columns above disables the key. */
  readonly enabled: boolean;
}

export type StateChange = 'disable' | 'enable' | 'lift';

export const disablingText = (disabling: KeyDisabling): string => JSON.stringify(disabling);

/** The disabling in a key's `disablingJson`, with later jobs in `others`. */
export const disablingIn = (disablingJson: string): KeyDisabling =>
  JSON.parse(disablingJson) as KeyDisabling;

/** Maximum number of jobs that a key remembers: the next one disables it permanently. */
const MAX_JOBS = 10;

export const isEnabled = ({ disablingJson, disabledByRule, acceptedBy }: KeyState): boolean =>
  disablingJson === null && (disabledByRule === null || acceptedBy !== null);

/**
 * The state of a key's row. Versions before these columns write only `enabled` and `refusedWith`. In their rows, a
 * finding disabled a key that has a code, and an account one without a code.
 */
export function keyStateOf(row: StoredKeyState): KeyState {
  const { enabled, disablingJson, disabledByRule, acceptedBy, refusedWith } = row;
  const stored = { disablingJson, disabledByRule, acceptedBy, refusedWith };
  if (enabled === isEnabled(row)) return stored;
  if (enabled) {
    const accepted = disabledByRule === null ? null : (acceptedBy ?? '');
    return { ...stored, disablingJson: null, acceptedBy: accepted };
  }
  if (refusedWith === null) return { ...stored, disablingJson: disablingText({}) };
  const rule = disabledByRule ?? '';
  return { disablingJson: null, disabledByRule: rule, acceptedBy: null, refusedWith: null };
}

/** Whether the key's user reported it, and no account has enabled it since. */
export function isReported(row: StoredKeyState): boolean {
  const { disablingJson } = keyStateOf(row);
  return disablingJson !== null && disablingIn(disablingJson).cause === 'reported';
}

/**
 * @param by for `lift`: its job is undone
 * @returns `undefined` if the key has the wanted state already
 */
export function changedState(
  change: StateChange,
  row: StoredKeyState,
  by: KeyDisabling,
): KeyState | undefined {
  const state = keyStateOf(row);
  if (change !== 'enable') {
    const disablingJson =
      change === 'disable'
        ? withDisabling(state.disablingJson, by)
        : withoutJob(state.disablingJson, by);
    return disablingJson === state.disablingJson ? undefined : { ...state, disablingJson };
  }
  if (isEnabled(state)) return undefined;
  const accepted = state.disabledByRule === null ? null : (state.acceptedBy ?? by.account ?? '');
  return { ...state, disablingJson: null, acceptedBy: accepted };
}

/**
 * A disabling without a job is permanent: the key may be stolen, and the undo of a job must not enable it. The
 * statement `DISABLE_CREDENTIAL` has the same rule in SQL, for a counter that did not rise.
 */
function withDisabling(disablingJson: string | null, by: KeyDisabling): string | null {
  if (disablingJson === null) return disablingText(by);
  const disablings = disablingsIn(disablingJson);
  const isKnown = disablings.some(({ job }) => job === undefined || job === by.job);
  if (isKnown) return disablingJson;
  if (by.job === undefined) return disablingText(by);
  if (disablings.length === MAX_JOBS) return disablingText({ ...by, job: undefined });
  return storedDisablings([...disablings, by]);
}

function withoutJob(disablingJson: string | null, { job }: KeyDisabling): string | null {
  if (disablingJson === null || job === undefined) return disablingJson;
  return storedDisablings(disablingsIn(disablingJson).filter((one) => one.job !== job));
}

function disablingsIn(disablingJson: string): KeyDisabling[] {
  const { others = [], ...first } = disablingIn(disablingJson);
  return [first, ...others];
}

function storedDisablings([first, ...others]: readonly KeyDisabling[]): string | null {
  if (!first) return null;
  return disablingText(others.length === 0 ? first : { ...first, others });
}

export const isChangedBy = (
  change: StateChange,
  row: StoredKeyState,
  by: KeyDisabling = {},
): boolean => changedState(change, row, by) !== undefined;

interface KeyTransition {
  readonly key: StoredKeyState & { readonly id: Buffer };
  readonly state: KeyState;
}

/** A key, or its row, in which SQLite and MySQL return `enabled` as a number. */
type KeyRow = KeyState & { readonly id: Buffer; readonly enabled: boolean | number };

/** The keys that are not in the wanted state yet, each with its new state. */
export function stateChanges<Key extends KeyRow>(
  change: StateChange,
  keys: readonly Key[],
  by: KeyDisabling = {},
) {
  return keys.flatMap((row) => {
    const key = { ...row, enabled: Boolean(row.enabled) };
    const state = changedState(change, key, by);
    return state ? [{ key, state }] : [];
  });
}

/**
 * The steps that change the states of keys: one for all keys with the same old and the same new state. Each is
 * conditional on the old state, so nothing is stored if one of the keys was changed concurrently.
 *
 * @param statement for the table that contains the keys
 */
export function keyStateSteps(
  statement: (typeof SET_KEY_STATE)[DatabaseKind],
  rp: ScopeOwner,
  changes: readonly KeyTransition[],
): Step[] {
  const groups = Map.groupBy(changes, ({ key, state }) =>
    JSON.stringify([key.enabled, ...[key, state].map(valuesOf)]),
  );
  return [...groups.values()].map((group) => {
    const [{ key, state }] = group as [KeyTransition];
    const params = {
      ...key,
      ...scope(rp),
      ids: group.map((one) => one.key.id),
      newEnabled: isEnabled(state),
      newDisablingJson: state.disablingJson,
      newDisabledByRule: state.disabledByRule,
      newAcceptedBy: state.acceptedBy,
      newRefusedWith: state.refusedWith,
    };
    return statement.mustChange(params, group.length);
  });
}

const valuesOf = (state: KeyState) => KEY_STATE.map((name) => state[name]);
