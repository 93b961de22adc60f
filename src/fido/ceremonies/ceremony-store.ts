/** Pending ceremonies that one session can have; a further one replaces the oldest. */
export const MAX_PER_SESSION = 8;

/** How an entry waits, where it is not as usual. */
export interface Wait {
  /** Instead of the store's own. */
  readonly lifeMs: number;
  /** Entries that begin with the same character: a session has at most so many, and the oldest goes. */
  readonly most: number;
}

/**
 * Where pending ceremonies wait, as texts that begin with their label (kind and challenge). The
 * session cookie holds nothing but the session's name.
 */
export abstract class CeremonyStore {
  /** Resolves when the entry is kept. */
  abstract put(session: string, entry: string, wait?: Wait): Promise<void>;

  /**
   * Takes the newest entry that begins with one of the prefixes, in one atomic step, so that of parallel
   * calls, on any number of instances, one gets it.
   *
   * @param prefixes ASCII: the label of one entry, or the kind of several
   */
  abstract take(session: string, ...prefixes: string[]): Promise<string | undefined>;

  /** What the session has, oldest first; nothing is taken. */
  abstract entriesOf(session: string): Promise<readonly string[]>;

  /** Throws when the store is not there. */
  abstract ping(): Promise<void>;

  abstract close(): Promise<void>;
}
