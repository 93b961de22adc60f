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
interface Wave {
  readonly steps: readonly Step[];
  /** Run after the steps. */
  readonly readings: readonly Reading[];
  /** No wave follows and no step can stop its unit, so the commit can be sent along. */
  readonly final: boolean;
}

interface Player {
  readonly unit: Unit;
  next: number;
  touched: number;
  missed: boolean;
}

/**
 * Plays units against any driver: yields wave after wave, receives how many rows each step touched,
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

/** The steps and readings of a unit up to its next guard, and the index where they end. */
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
