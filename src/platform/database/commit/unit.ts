export type SqlValue = string | number | Buffer | null;

/** One statement of a unit, with `?` for its parameters. */
export interface Step {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /**
   * Makes the step a condition of its unit: how many rows it must touch, even if it sets their present values
   * (`true`: one). If it touches fewer, the unit is not stored.
   */
  readonly mustChange?: boolean | number;
}

/**
 * A SELECT at the end of its unit, in the same round trip: it sees the rows after the unit.
 *
 * @param sql one SELECT, or a UNION ALL of several, without ORDER BY
 */
export class Reading<Row = unknown> {
  /** `undefined` until the unit is stored. */
  rows: readonly Row[] | undefined;

  constructor(
    readonly sql: string,
    readonly params: readonly SqlValue[],
  ) {}

  readonly take = (rows: readonly unknown[]): void => {
    this.rows = rows as readonly Row[];
  };
}

type LockedRecord = Reading<{ readonly value: string }>;

/** A record that the units of all instances advance, one after the other. */
interface AdvancedRecord {
  /** Reads the record and locks it until the end of the transaction. */
  lock(): LockedRecord;
  set(value: string): Step;
}

/**
 * The end of a unit that advances a record, for example the head of a chain. It follows all other steps of the
 * transaction: the record is locked last and only for the commit, and units that are not applied never advance it.
 */
export class RecordAdvance {
  /**
   * @param record the same for all units
   * @param follow returns the last steps of the unit, given the record's value, and its next value; may throw
   *   `PartialUnit`
   * @param onMissing called if there is no record: no unit of the transaction is stored then
   */
  constructor(
    readonly record: AdvancedRecord,
    readonly follow: (value: string) => { readonly steps: readonly Step[]; readonly value: string },
    readonly onMissing: () => void = () => undefined,
  ) {}
}

/** Statements that belong together: either all of them are stored, or none. */
export type Unit = readonly (Step | Reading | RecordAdvance)[];

/** The earlier steps must not be kept, for example because a condition failed: the transaction must be undone. */
export class PartialUnit extends Error {}

/** Steps that can be sent together: those of each unit up to its first condition, and later the rest of it. */
interface RoundTrip {
  readonly steps: readonly Step[];
  /** Run after the steps. */
  readonly readings: readonly Reading[];
  /** No part follows and no step can stop its unit, so the commit can be sent together with it. */
  readonly final: boolean;
}

export interface SharingUnit {
  readonly unit: Unit;
  /**
   * Whether steps of other such units may come between its own, which saves round trips: each of its conditions
   * is the change itself. Steps after the condition of any other unit are executed before a step of a unit that
   * has not begun, so that no condition succeeds for rows that are about to change.
   */
  readonly interleaves: boolean;
  /**
   * Whether nothing is sent after a condition before its result is known. It tells a condition that failed from an
   * error that a later step had because of that.
   */
  readonly isStepwise?: boolean;
  readonly onConnectionLost?: (() => void) | undefined;
}

interface UnitProgress {
  readonly unit: readonly (Step | Reading)[];
  readonly isStepwise: boolean;
  readonly interleaves: boolean;
  readonly advances: readonly RecordAdvance[];
  next: number;
  touched: number;
  missed: boolean;
}

/**
 * Executes units on any driver: yields one part of the steps after the other, receives how many rows each step touched,
 * and returns for each unit whether it was applied. It is a generator, so that the same rules serve the synchronous
 * SQLite driver and the MySQL driver, for which each part is one round trip.
 *
 * Once a unit has changed something, a condition of it that fails undoes the transaction. So the steps after its first
 * condition are sent together, with further conditions among them.
 */
export function* executeUnits(
  units: readonly SharingUnit[],
): Generator<RoundTrip, boolean[], readonly number[]> {
  const progresses = units.map(({ unit, interleaves, isStepwise = false }) => ({
    unit: unit.filter(isPlain),
    isStepwise,
    interleaves,
    advances: unit.filter(isAdvance),
    next: 0,
    touched: 0,
    missed: false,
  }));
  let locked: LockedRecord | undefined;
  for (;;) {
    const open = progresses.filter(({ unit, next, missed }) => !missed && next < unit.length);
    const parts = nextOf(open).map((progress) => ({ progress, ...nextSteps(progress) }));
    if (parts.length === 0) break;
    const isLast = parts.length === open.length && !open.some(waitsForCondition);
    // All units that are left apply, or none does. So the lock is needed, and here it saves a round trip.
    if (isLast) locked = advancesOf(progresses)[0]?.record.lock();
    const readings = parts.flatMap((part) => part.readings);
    const rows = yield {
      steps: parts.flatMap(({ steps }) => steps),
      readings: locked ? [...readings, locked] : readings,
      final: isLast && !locked && !open.some(hasCondition),
    };
    let at = 0;
    for (const { progress, end, steps } of parts) {
      progress.next = end;
      settle(progress, steps, rows.slice(at, at + steps.length));
      at += steps.length;
    }
  }
  yield* advanceRecord(advancesOf(progresses), locked);
  return progresses.map(({ missed }) => !missed);
}

/** Those of the units that apply. */
const advancesOf = (progresses: readonly UnitProgress[]): readonly RecordAdvance[] =>
  progresses.filter(({ missed }) => !missed).flatMap(({ advances }) => advances);

/** @param locked read with the last steps; absent if these were a condition, or if there were none */
function* advanceRecord(
  advances: readonly RecordAdvance[],
  locked: LockedRecord | undefined,
): Generator<RoundTrip, void, readonly number[]> {
  const [first] = advances;
  if (!first) return;
  const { record } = first;
  const lock = locked ?? record.lock();
  if (!locked) yield { steps: [], readings: [lock], final: false };
  const [found] = lock.rows ?? [];
  if (!found) {
    for (const { onMissing } of advances) onMissing();
    throw new PartialUnit();
  }
  let { value } = found;
  const steps = advances.flatMap(({ follow }) => {
    const next = follow(value);
    value = next.value;
    return next.steps;
  });
  yield { steps: [...steps, record.set(value)], readings: [], final: true };
}

const isAdvance = (step: Unit[number]): step is RecordAdvance => step instanceof RecordAdvance;
const isPlain = (step: Unit[number]): step is Step | Reading => !isAdvance(step);
const isReading = (step: Step | Reading): step is Reading => step instanceof Reading;
const isStep = (step: Step | Reading): step is Step => !isReading(step);

/** The units to continue: units that interleave, up to their conditions, then the others up to one with a condition. */
function nextOf(open: readonly UnitProgress[]): readonly UnitProgress[] {
  const interleaving = open.filter(({ interleaves }) => interleaves);
  if (interleaving.some(waitsForCondition)) return interleaving;
  const others = open.filter(({ interleaves }) => !interleaves);
  const waiting = others.findIndex(waitsForCondition);
  return [...interleaving, ...(waiting === -1 ? others : others.slice(0, waiting + 1))];
}

const isCondition = (step: Step | Reading): boolean => isStep(step) && Boolean(step.mustChange);

/** Whether a step can follow a condition that failed: an error that it then has says nothing about the unit. */
export const hasSeveralConditions = (unit: Unit): boolean =>
  unit.filter((step) => isPlain(step) && isCondition(step)).length > 1;

const nextCondition = ({ unit, next }: UnitProgress): number =>
  unit.findIndex((step, index) => index >= next && isCondition(step));

const hasCondition = (progress: UnitProgress): boolean => nextCondition(progress) !== -1;

/** Whether nothing may be sent after the unit's next condition. */
const waitsForCondition = (progress: UnitProgress): boolean =>
  (progress.isStepwise || progress.next === 0) && hasCondition(progress);

function nextSteps(progress: UnitProgress) {
  const { unit, next } = progress;
  const end = waitsForCondition(progress) ? nextCondition(progress) + 1 : unit.length;
  const part = unit.slice(next, end);
  return { end, steps: part.filter(isStep), readings: part.filter(isReading) };
}

function settle(progress: UnitProgress, steps: readonly Step[], rows: readonly number[]): void {
  progress.touched += rows.reduce((sum, n) => sum + n, 0);
  progress.missed = steps.some(({ mustChange }, n) => (rows[n] ?? 0) < Number(mustChange ?? 0));
  if (progress.missed && progress.touched > 0) throw new PartialUnit();
}
