/** Pending ceremonies that one session can have; a further one replaces the oldest. */
export const MAX_PER_SESSION = 8;

/**
 * Where pending ceremonies wait, as texts that begin with their label (kind and challenge). The
 * session cookie holds nothing but the session's name.
 */
export abstract class CeremonyStore {
  /** Resolves when the entry is kept. */
  abstract put(session: string, entry: string): Promise<void>;

  /**
   * Takes an entry out in one atomic step, so that of parallel calls, on any number of instances,
   * one gets it.
   *
   * @param label takes the entry that begins with it
   * @param kind else takes the newest entry that begins with this
   */
  abstract take(session: string, label: string, kind: string): Promise<string | undefined>;

  /** Throws when the store is not there. */
  abstract ping(): Promise<void>;

  abstract close(): Promise<void>;
}
