/** Pending ceremonies that one session can have; a further one replaces the oldest. */
export const MAX_PER_SESSION = 8;

export interface Wait {
  /** How long the entry waits. */
  readonly lifeMs: number;
  /** Most entries of a session that begin with the same character; a further one replaces the oldest. */
  readonly most: number;
}

export interface CallerSession {
  readonly id: string;
  /** Who calls: the names of the groups in which the caller is counted, the widest first, its own last. */
  readonly callers: readonly string[];
}

/**
 * Keeps pending ceremonies as texts that begin with their label (kind and challenge). The session cookie
 * holds nothing but the session's name.
 */
export abstract class CeremonyStore {
  /** Resolves when the entry is kept. */
  abstract put(session: CallerSession, entry: string, wait?: Wait): Promise<void>;

  /**
   * Takes the newest entry that begins with one of the prefixes, in one atomic step, so that of parallel
   * calls, on any number of instances, one gets it.
   *
   * @param prefixes ASCII: the label of one entry, or the kind of several
   */
  abstract take(session: string, ...prefixes: string[]): Promise<string | undefined>;

  /** The session's entries, oldest first; none is taken. */
  abstract entriesOf(session: string): Promise<readonly string[]>;

  /** Throws when the store cannot be reached. */
  abstract ping(): Promise<void>;

  abstract close(): Promise<void>;
}
