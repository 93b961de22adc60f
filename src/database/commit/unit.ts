export type Value = string | number | Buffer | null;

/** One statement of a unit, with `?` for its parameters. */
export interface Step {
  readonly sql: string;
  readonly params: readonly Value[];
  /** How many rows it must touch (`true`: one); if they are fewer, nothing of the unit stays. */
  readonly guard?: boolean | number;
}

/**
 * Reads at the end of its unit, on the way that is gone anyway: the rows are as the unit leaves them.
 *
 * @param sql one SELECT, or a UNION ALL of some, that sorts nothing
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

/** Steps that can be sent together: of each unit those up to its next guard. */
export interface Wave {
  readonly steps: readonly Step[];
  /** Behind the steps. */
  readonly readings: readonly Reading[];
  /** Nothing comes after them, and none of them can stop its unit: the commit can go along. */
  readonly final: boolean;
}

interface Player {
  readonly unit: Unit;
  next: number;
  touched: number;
  missed: boolean;
}

/**
 * Plays units against any driver: yields wave after wave, is told how many rows each step touched,
 * and returns for each unit whether it was applied. A generator, so that the same rules serve the
 * synchronous SQLite driver and the MySQL driver, for which each wave is one round trip.
 */
export function* play(units: readonly Unit[]): Generator<Wave, boolean[], readonly number[]> {
  const players = units.map((unit) => ({ unit, next: 0, touched: 0, missed: false }));
  for (;;) {
    const moves = players
      .filter(({ unit, next, missed }) => !missed && next < unit.length)
      .map((player) => ({ player, ...moveOf(player) }));
    if (moves.length === 0) return players.map(({ missed }) => !missed);
    const final = moves.every(
      ({ player, end, steps }) => end === player.unit.length && !steps.at(-1)?.guard,
    );
    const rows = yield {
      steps: moves.flatMap(({ steps }) => steps),
      readings: moves.flatMap(({ readings }) => readings),
      final,
    };
    let at = 0;
    for (const { player, end, steps } of moves) {
      player.next = end;
      settle(player, steps, rows.slice(at, at + steps.length));
      at += steps.length;
    }
  }
}

const isReading = (step: Step | Reading): step is Reading => step instanceof Reading;
const isStep = (step: Step | Reading): step is Step => !isReading(step);

/** What a unit does up to its next guard, and where that ends. */
function moveOf({ unit, next }: Player) {
  const guard = unit.findIndex((step, index) => index >= next && isStep(step) && step.guard);
  const end = guard === -1 ? unit.length : guard + 1;
  const part = unit.slice(next, end);
  return { end, steps: part.filter(isStep), readings: part.filter(isReading) };
}

function settle(player: Player, steps: readonly Step[], rows: readonly number[]): void {
  player.touched += rows.reduce((sum, n) => sum + n, 0);
  player.missed = (rows.at(-1) ?? 0) < Number(steps.at(-1)?.guard ?? 0);
  if (player.missed && player.touched > 0) throw new HalfDone();
}
