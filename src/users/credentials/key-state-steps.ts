import type { DatabaseKind } from '../../platform/database/columns.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { SET_KEY_STATE } from '../change.statements.js';
import { isEnabled } from './key-state.js';
import type { KeyState, StoredKeyState } from './key-state.js';

/** A key whose state is to change. */
interface KeyStateChange {
  readonly key: StoredKeyState & { readonly id: Buffer };
  readonly state: KeyState;
}

/**
 * The steps that change the states of keys: one for all keys with the same former and the same new state. Each
 * is guarded by the former state, so nothing is stored where somebody else has changed one of the keys.
 */
export function keyStateSteps(
  kind: DatabaseKind,
  rp: ScopeOwner,
  changes: readonly KeyStateChange[],
): Step[] {
  const groups = new Map<string, KeyStateChange[]>();
  for (const change of changes) {
    const { key, state } = change;
    const name = JSON.stringify([valuesOf(key), key.enabled, valuesOf(state)]);
    groups.set(name, [...(groups.get(name) ?? []), change]);
  }
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [stepOf(kind, rp, [first, ...others])] : [],
  );
}

function stepOf(
  kind: DatabaseKind,
  rp: ScopeOwner,
  group: readonly [KeyStateChange, ...KeyStateChange[]],
): Step {
  const [{ key, state }] = group;
  return SET_KEY_STATE[kind].guard(
    {
      ...scope(rp),
      ids: group.map((one) => one.key.id),
      enabled: key.enabled ? 1 : 0,
      disabledBy: key.disabledBy,
      disabledByRule: key.disabledByRule,
      acceptedBy: key.acceptedBy,
      refusedWith: key.refusedWith,
      newEnabled: isEnabled(state) ? 1 : 0,
      newDisabledBy: state.disabledBy,
      newDisabledByRule: state.disabledByRule,
      newAcceptedBy: state.acceptedBy,
      newRefusedWith: state.refusedWith,
    },
    group.length,
  );
}

const valuesOf = ({ disabledBy, disabledByRule, acceptedBy, refusedWith }: KeyState) => [
  disabledBy,
  disabledByRule,
  acceptedBy,
  refusedWith,
];
