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

/**
 * Executes units on any driver, in round trips: the driver sends the steps and readings of `nextRoundTrip`, and reports
 * by `accept` how many rows each step touched, until there is no further round trip. Then `applied` says for each unit
 * whether it is stored. So the same rules serve the synchronous SQLite driver and the MySQL driver.
 *
 * Once a unit has changed something, a condition of it that fails undoes the transaction. So the steps after its first
 * condition are sent together, with further conditions among them.
 *
 * Two sign-ins at once, which interleave and advance the same record; the key of the second was disabled:
 *
 * ```text
 * first:  UPDATE key 1 (condition), INSERT event 1, advance the record
 * second: UPDATE key 2 (condition), INSERT event 2, advance the record
 *
 * nextRoundTrip()  UPDATE key 1, UPDATE key 2       each unit up to its first condition
 * accept([1, 0])                                    the second unit does not apply; it has changed nothing
 * nextRoundTrip()  INSERT event 1, lock the record  all steps that are left: so the record is locked with them
 * accept([1])
 * nextRoundTrip()  last steps of the first unit, set the record; final: COMMIT is sent with them
 * accept([1, 1])
 * nextRoundTrip()  undefined; `applied` is [true, false]
 * ```
 */
export class Execution {
  private readonly units: readonly RunningUnit[];
  /** The parts of units in the last round trip. */
  private sent: readonly Part[] = [];
  private lock: LockedRecord | undefined;
  private isAdvanced = false;

  constructor(units: readonly SharingUnit[]) {
    this.units = units.map((unit) => new RunningUnit(unit));
  }

  /** For each unit, in order, whether it is stored. */
  get applied(): boolean[] {
    return this.units.map(({ applies }) => applies);
  }

  /**
   * The next round trip, once the last one is accepted; `undefined` if nothing is left to send. After a round trip that
   * is not final the driver must commit.
   *
   * @throws PartialUnit if there is no record to advance
   */
  nextRoundTrip(): RoundTrip | undefined {
    const open = this.units.filter((unit) => unit.isOpen());
    this.sent = nextOf(open).map((unit) => unit.nextPart());
    if (this.sent.length === 0) return this.advanceRecord();
    const isLast = this.sent.length === open.length && !open.some((unit) => unit.waits());
    // All units that are left apply, or none does. So the lock is needed, and here it saves a round trip.
    if (isLast) this.lock = this.advances()[0]?.record.lock();
    const readings = this.sent.flatMap((part) => part.readings);
    return {
      steps: this.sent.flatMap(({ steps }) => steps),
      readings: this.lock ? [...readings, this.lock] : readings,
      final: isLast && !this.lock && !open.some((unit) => unit.hasCondition()),
    };
  }

  /**
   * @param rows how many rows each step of the round trip touched
   * @throws PartialUnit if a condition failed after its unit had changed something
   */
  accept(rows: readonly number[]): void {
    let at = 0;
    for (const part of this.sent) {
      const end = at + part.steps.length;
      part.unit.accept(part, rows.slice(at, end));
      at = end;
    }
  }

  /** Locks the record if the last steps could not, since they were a condition or there were none; then advances it. */
  private advanceRecord(): RoundTrip | undefined {
    const advances = this.advances();
    const [first] = advances;
    if (!first || this.isAdvanced) return undefined;
    const { record } = first;
    if (!this.lock) {
      this.lock = record.lock();
      return { steps: [], readings: [this.lock], final: false };
    }
    const [found] = this.lock.rows ?? [];
    if (!found) {
      for (const { onMissing } of advances) onMissing();
      throw new PartialUnit();
    }
    this.isAdvanced = true;
    let { value } = found;
    const steps = advances.flatMap(({ follow }) => {
      const next = follow(value);
      value = next.value;
      return next.steps;
    });
    return { steps: [...steps, record.set(value)], readings: [], final: true };
  }

  /** Those of the units that apply. */
  private advances(): readonly RecordAdvance[] {
    return this.units.filter(({ applies }) => applies).flatMap(({ advances }) => advances);
  }
}

/** What a round trip sends of a unit. */
interface Part {
  readonly unit: RunningUnit;
  readonly steps: readonly Step[];
  readonly readings: readonly Reading[];
  /** The index of the first step that is left. */
  readonly end: number;
}

/** A unit, and how far it is executed. */
class RunningUnit {
  readonly interleaves: boolean;
  readonly advances: readonly RecordAdvance[];
  /** Whether no condition has failed. */
  applies = true;
  private readonly isStepwise: boolean;
  private readonly steps: readonly (Step | Reading)[];
  /** The index of the first step that is not executed. */
  private next = 0;
  private hasChanged = false;

  constructor({ unit, interleaves, isStepwise = false }: SharingUnit) {
    this.interleaves = interleaves;
    this.isStepwise = isStepwise;
    this.advances = unit.filter(isAdvance);
    this.steps = unit.filter(isPlain);
  }

  isOpen(): boolean {
    return this.applies && this.next < this.steps.length;
  }

  hasCondition(): boolean {
    return this.nextCondition() !== -1;
  }

  /** Whether nothing may be sent after the unit's next condition. */
  waits(): boolean {
    return (this.isStepwise || this.next === 0) && this.hasCondition();
  }

  nextPart(): Part {
    const end = this.waits() ? this.nextCondition() + 1 : this.steps.length;
    const part = this.steps.slice(this.next, end);
    return { unit: this, steps: part.filter(isStep), readings: part.filter(isReading), end };
  }

  /** @throws PartialUnit if a condition failed after the unit had changed something */
  accept({ steps, end }: Part, rows: readonly number[]): void {
    this.next = end;
    this.hasChanged ||= rows.some((touched) => touched > 0);
    this.applies = steps.every(({ mustChange }, n) => (rows[n] ?? 0) >= Number(mustChange ?? 0));
    if (!this.applies && this.hasChanged) throw new PartialUnit();
  }

  private nextCondition(): number {
    return this.steps.findIndex((step, index) => index >= this.next && isCondition(step));
  }
}

/** The units to continue: units that interleave, up to their conditions, then the others up to one with a condition. */
function nextOf(open: readonly RunningUnit[]): readonly RunningUnit[] {
  const interleaving = open.filter(({ interleaves }) => interleaves);
  if (interleaving.some((unit) => unit.waits())) return interleaving;
  const others = open.filter(({ interleaves }) => !interleaves);
  const waiting = others.findIndex((unit) => unit.waits());
  return [...interleaving, ...(waiting === -1 ? others : others.slice(0, waiting + 1))];
}

const isAdvance = (step: Unit[number]): step is RecordAdvance => step instanceof RecordAdvance;
const isPlain = (step: Unit[number]): step is Step | Reading => !isAdvance(step);
const isReading = (step: Step | Reading): step is Reading => step instanceof Reading;
const isStep = (step: Step | Reading): step is Step => !isReading(step);
const isCondition = (step: Step | Reading): boolean => isStep(step) && Boolean(step.mustChange);

/** Whether a step can follow a condition that failed: an error that it then has says nothing about the unit. */
export const hasSeveralConditions = (unit: Unit): boolean =>
  unit.filter((step) => isPlain(step) && isCondition(step)).length > 1;
