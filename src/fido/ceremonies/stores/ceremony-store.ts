/** How far the clocks of two instances may differ, in ms. */
export const CLOCK_SKEW_MS = 5_000;
/** Maximum number of pending ceremonies in a session; a further one replaces the oldest. */
export const MAX_PER_SESSION = 8;

export interface EntryLimits {
  /** How long the entry waits. */
  readonly lifeMs: number;
  /** Maximum number of entries of a session that begin with the same character; a further one replaces the oldest. */
  readonly most: number;
}

export interface CallerSession {
  readonly id: string;
  /** The caller: names of the groups in which it is counted, the widest first, its own last. */
  readonly callers: readonly string[];
  /** For an application: `ceremony` in the begin call's answer, which it repeats in the result call. */
  readonly sessionName?: string;
}

/**
 * Stores pending ceremonies as texts that begin with their label (kind and challenge). The session cookie
 * contains only the session's name.
 */
export abstract class CeremonyStore {
  /** How much longer a ceremony can be completed than its begin call says, since another instance may have begun it. */
  abstract readonly toleranceMs: number;

  /** Resolves when the entry is stored. */
  abstract put(session: CallerSession, entry: string, wait?: EntryLimits): Promise<void>;

  /**
   * Takes the newest entry that begins with one of the prefixes, atomically: of parallel calls, on any number of
   * instances, only one receives it.
   *
   * @param prefixes ASCII: the label of one entry, or the kind of several
   */
  abstract take(session: string, ...prefixes: string[]): Promise<string | undefined>;

  /** The session's entries, oldest first; none is taken. */
  abstract entriesOf(session: string): Promise<readonly string[]>;

  /** Throws if the store cannot store a ceremony. */
  abstract ping(): Promise<void>;
}
