import type { Code } from '../../errors/catalogue.js';
import type { FindingAction } from '../../tenancy/policy.js';

/** What was found about a key, and what is done about it. */
export interface Found {
  readonly rule: string;
  readonly code: Code;
  readonly action: FindingAction;
}

/** A key as it stands. */
export interface Standing {
  readonly enabled: boolean;
  /** The mark of the finding that acts on it; a person who changes `enabled` takes it away. */
  readonly refusedWith: string | null;
  readonly finding: Found | undefined;
}

type Happening = 'finding' | 'finding-closed' | 'enabled' | 'disabled';

/** How a key is to stand, and what is told of it. */
export interface Settlement {
  readonly enabled: boolean;
  readonly refusedWith: Code | null;
  readonly events: readonly Happening[];
}

const isSame = (one: Found | undefined, other: Found | undefined): boolean =>
  one?.rule === other?.rule && one?.code === other?.code && one?.action === other?.action;

/**
 * What becomes of a key whose evaluation has ended so. What a finding disabled comes back with its end;
 * what a person decided while it was open stays.
 *
 * @returns `undefined` where all stays as it is
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
