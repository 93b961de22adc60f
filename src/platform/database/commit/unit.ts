export type Value = string | number | Buffer | null;

/** One statement of a unit, with `?` for its parameters. */
export interface Step {
  readonly sql: string;
  readonly params: readonly Value[];
  /** How many rows it must touch (`true`: one); if it touches fewer, nothing of the unit is stored. */
  readonly guard?: boolean | number;
}

/**
 * A SELECT at the end of its unit, in the same round trip: it sees the rows as the unit leaves them.
 *
 * @param sql one SELECT, or a UNION ALL of several, without ORDER BY
 */
export class Reading<Row = unknown> {
  /** `undefined` until the unit is stored. */
  rows: readonly Row[] | undefined;

  constructor(
    readonly sql: string,
    readonly params: readonly Value[],
  ) {}

  readonly take = (rows: readonly unknown[]): void => {
    this.rows = rows as readonly Row[];
  };
}

/** Statements that belong together: all of them are stored, or none. */
export type Unit = readonly (Step | Reading)[];

/** A guard missed after earlier steps of its unit had written: the transaction must be undone. */
export class HalfDone extends Error {}

/** Steps that can be sent together: those of each unit up to its next guard. */
interface StepBatch {
  readonly steps: readonly Step[];
  /** Run after the steps. */
  readonly readings: readonly Reading[];
  /** No batch follows and no step can stop its unit, so the commit can be sent along. */
  readonly final: boolean;
}

interface UnitProgress {
  readonly unit: Unit;
  next: number;
  touched: number;
  missed: boolean;
}

/**
 * Executes units on any driver: yields one batch of steps after the other, receives how many rows each step touched,
 * and returns for each unit whether it was applied. A generator, so that the same rules serve the synchronous SQLite
 * driver and the MySQL driver, for which each batch is one round trip.
 */
export function* execute(
  units: readonly Unit[],
): Generator<StepBatch, boolean[], readonly number[]> {
  const progresses = units.map((unit) => ({ unit, next: 0, touched: 0, missed: false }));
  for (;;) {
    const batches = progresses
      .filter(({ unit, next, missed }) => !missed && next < unit.length)
      .map((progress) => ({ progress, ...nextSteps(progress) }));
    if (batches.length === 0) return progresses.map(({ missed }) => !missed);
    const final = batches.every(
      ({ progress, end, steps }) => end === progress.unit.length && !steps.at(-1)?.guard,
    );
    const rows = yield {
      steps: batches.flatMap(({ steps }) => steps),
      readings: batches.flatMap(({ readings }) => readings),
      final,
    };
    let at = 0;
    for (const { progress, end, steps } of batches) {
      progress.next = end;
      settle(progress, steps, rows.slice(at, at + steps.length));
      at += steps.length;
    }
  }
}

const isReading = (step: Step | Reading): step is Reading => step instanceof Reading;
const isStep = (step: Step | Reading): step is Step => !isReading(step);

/** The steps and readings of a unit up to its next guard, and the index where they end. */
function nextSteps({ unit, next }: UnitProgress) {
  const guard = unit.findIndex((step, index) => index >= next && isStep(step) && step.guard);
  const end = guard === -1 ? unit.length : guard + 1;
  const part = unit.slice(next, end);
  return { end, steps: part.filter(isStep), readings: part.filter(isReading) };
}

function settle(progress: UnitProgress, steps: readonly Step[], rows: readonly number[]): void {
  progress.touched += rows.reduce((sum, n) => sum + n, 0);
  progress.missed = (rows.at(-1) ?? 0) < Number(steps.at(-1)?.guard ?? 0);
  if (progress.missed && progress.touched > 0) throw new HalfDone();
}
