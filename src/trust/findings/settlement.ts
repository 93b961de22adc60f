import type { Code } from '../../errors/catalogue.js';
import type { FindingAction } from '../../tenancy/policy.js';

/** A finding about a key, and what is done about it. */
export interface Found {
  readonly rule: string;
  readonly code: Code;
  readonly action: FindingAction;
}

/** The present state of a key. */
export interface Standing {
  readonly enabled: boolean;
  /** Error code of the finding that acts on the key; cleared when a person changes `enabled`. */
  readonly refusedWith: string | null;
  readonly finding: Found | undefined;
}

type Happening = 'finding' | 'finding-closed' | 'enabled' | 'disabled';

/** The state that a key is to get, and the events to record. */
export interface Settlement {
  readonly enabled: boolean;
  readonly refusedWith: Code | null;
  readonly events: readonly Happening[];
}

const isSame = (one: Found | undefined, other: Found | undefined): boolean =>
  one?.rule === other?.rule && one?.code === other?.code && one?.action === other?.action;

/**
 * The new state of a key after its evaluation. A key that a finding disabled is enabled when the finding
 * ends, but what a person decided meanwhile stays.
 *
 * @returns `undefined` where nothing changes
 */
export function settled(key: Standing, found: Found | undefined): Settlement | undefined {
  if (isSame(key.finding, found)) return undefined;
  const before = key.enabled || key.refusedWith !== null;
  const acts = found !== undefined && found.action !== 'report' && before;
  const enabled = acts && found.action === 'disable' ? false : before;
  const change = enabled ? 'enabled' : 'disabled';
  return {
    enabled,
    refusedWith: acts ? found.code : null,
    events: [
      found === undefined ? 'finding-closed' : 'finding',
      ...(enabled === key.enabled ? [] : ([change] as const)),
    ],
  };
}
