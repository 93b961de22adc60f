export type Value = string | number | Buffer | null;

/** One statement of a unit, with `?` for its parameters. */
export interface Step {
  readonly sql: string;
  readonly params: readonly Value[];
  /** When it touches no row, the unit stops here and nothing of it stays. */
  readonly guard?: boolean;
}

/** Statements that belong together: all of them are stored, or none. */
export type Unit = readonly Step[];

/** A guard missed after earlier steps of its unit had written: the transaction must be undone. */
export class HalfDone extends Error {}

/**
 * Plays units against any driver: yields each step, is told how many rows it touched, and returns
 * for each unit whether it was applied. A generator, so that the same rules serve the synchronous
 * SQLite driver and the asynchronous MySQL driver.
 */
export function* play(units: readonly Unit[]): Generator<Step, boolean[], number> {
  const applied: boolean[] = [];
  for (const unit of units) {
    let touched = 0;
    let missed = false;
    for (const step of unit) {
      const rows = yield step;
      missed = rows === 0 && step.guard === true;
      if (missed) break;
      touched += rows;
    }
    if (missed && touched > 0) throw new HalfDone();
    applied.push(!missed);
  }
  return applied;
}
