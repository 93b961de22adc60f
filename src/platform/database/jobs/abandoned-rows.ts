import { MINUTE_MS } from '../../common/durations.js';

/** How long others must see a row unchanged before they take over: longer than its holder relies on it. */
const UNCHANGED_MS = 15_000;

/**
 * After this time without a change, a row's holder counts as dead where the time in the row decides: longer, because
 * the clocks of instances may differ.
 */
export const SILENCE_MS = MINUTE_MS;

/** Whether a row that its holder changes again and again was changed too long ago, by the clocks of both. */
export const isSilent = (changedAt: number, now: number): boolean => now - changedAt > SILENCE_MS;

/**
 * Observes rows that their holders change again and again. A row counts as abandoned, and its holder as dead, when this
 * process has seen it unchanged for a while by its own monotonic clock.
 */
export class ObservedRows {
  /** The rows by their names, and since when each has been as it is. */
  private readonly seen = new Map<string, { readonly row: string; readonly since: number }>();

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(private readonly elapsed: () => number) {}

  /** Whether the row, which was just read, is abandoned. */
  isAbandoned(name: string, row: string): boolean {
    const now = this.elapsed();
    const known = this.seen.get(name);
    const since = known?.row === row ? known.since : now;
    this.seen.set(name, { row, since });
    return now - since >= UNCHANGED_MS;
  }

  /** Forgets rows that no longer exist. */
  forgetOthers(names: ReadonlySet<string>): void {
    for (const name of this.seen.keys()) if (!names.has(name)) this.seen.delete(name);
  }
}
