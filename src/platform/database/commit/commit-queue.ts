import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { codeOfDriverError, codedError } from '../../errors/driver-errors.js';
import type { CommitOptions } from '../database.js';
import { mysqlFailureOf } from '../mysql/mysql-failure.js';
import { PartialUnit, hasSeveralConditions, type SharingUnit, type Unit } from './unit.js';

/** Stores all units in one transaction; returns for each unit whether all of its conditions succeeded. */
type CommitUnits = (units: readonly SharingUnit[]) => boolean[] | Promise<boolean[]>;

interface QueuedUnit extends SharingUnit {
  readonly background: boolean;
  timesPutBack: number;
  resolve(applied: boolean): void;
  reject(error: unknown): void;
}

/** Whether the database is away or accepts no writes: executing each unit alone would then be useless. */
const isAway = (error: unknown): boolean =>
  codeOfDriverError(error) === 'E0052R' && !isInTheWay(error);

/** Whether the error may concern only one of the units, which had to wait for locks of other transactions. */
const isInTheWay = (error: unknown): boolean => mysqlFailureOf(error) === 'rolled-back';

/**
 * Whether the error is the outcome of a unit: it was alone, no lock of others was in its way, and the error cannot hide
 * that a condition failed before.
 */
const isCertain = (units: readonly SharingUnit[], error: unknown): boolean =>
  units.length === 1 &&
  (error instanceof PartialUnit ||
    !(isInTheWay(error) || units.some(({ unit }) => hasSeveralConditions(unit))));

/** Keeps a transaction short even if hundreds of units arrive together. */
const MAX_UNITS = 64;
/** Units of long jobs are large, and sign-ins wait for the current transaction. */
const MAX_BACKGROUND = 16;
/** How often a unit of a long job is put back behind the others if locks of other transactions blocked it. */
const MAX_PUT_BACK = 5;
/** Some seconds of work; further units are refused before memory runs out. */
const MAX_WAITING = 20_000;

/**
 * How many turns of the event loop a transaction waits for more units. A turn with nothing to do takes
 * microseconds; under load each turn brings requests that have just arrived.
 */
const TURNS = 8;

/**
 * The connection broke, or the server stopped answering, after the commit was sent, so the unit may be stored or
 * not (when a node died, one statement in five was stored).
 */
export class OutcomeUnknown extends Error {
  readonly code = 'OUTCOME_UNKNOWN';

  /** @param hangs whether the server does not answer at all, so that asking it again is useless */
  constructor(
    cause: unknown,
    readonly hangs: boolean,
  ) {
    super('The connection to the database broke while committing.', { cause });
  }
}

/**
 * Group commit: units that arrive in a few turns of the event loop, or during a transaction, share one transaction.
 * Many sign-ins together need only one sync, and a single one does not wait.
 *
 * A unit that fails must not undo the others: the transaction is rolled back and each unit is executed again alone.
 * That is rare, so there are no savepoints. A lone unit that waited for locks of others is executed again too;
 * a unit of a long job is retried after the other units, so that two long jobs that collide both finish.
 */
export class CommitQueue {
  private readonly waiting: QueuedUnit[] = [];
  private readonly background: QueuedUnit[] = [];
  private busy = false;

  constructor(private readonly transaction: CommitUnits) {}

  /** Units that wait for the current transaction. */
  get length(): number {
    return this.waiting.length + this.background.length;
  }

  /** @returns whether the unit was applied; `false` if a step touched fewer rows than it must change */
  commit(unit: Unit, options: CommitOptions = {}): Promise<boolean> {
    const { background = false, isStored, onConnectionLost } = options;
    return new Promise((resolve, reject) => {
      if (this.length >= MAX_WAITING) {
        return reject(codedError('POOL_EXHAUSTED', 'Too many changes wait for the database.'));
      }
      const interleaves = isStored !== undefined;
      const sharing = { unit, interleaves, onConnectionLost };
      const entry = { ...sharing, background, timesPutBack: 0, resolve, reject };
      (background ? this.background : this.waiting).push(entry);
      if (this.busy) return;
      this.busy = true;
      this.gather(TURNS);
    });
  }

  private gather(turns: number): void {
    if (turns === 0 || this.waiting.length >= MAX_UNITS) void this.drain();
    else setImmediate(() => this.gather(turns - 1));
  }

  /** Waits a turn between two transactions: on SQLite, requests are not handled during one. */
  private async drain(): Promise<void> {
    while (this.length > 0) {
      const units = [
        ...this.waiting.splice(0, MAX_UNITS),
        ...this.background.splice(0, MAX_BACKGROUND),
      ];
      try {
        const applied = await this.transaction(units);
        units.forEach(({ resolve }, i) => resolve(applied[i] === true));
      } catch (error) {
        if (isAway(error)) this.giveUp(units, error);
        else if (isCertain(units, error)) this.settle(units, error);
        else await this.oneByOne(units);
      }
      // Without units that wait, the next one gathers others first.
      if (this.length > 0) await yieldToEventLoop();
    }
    this.busy = false;
  }

  /** If the database is away in the middle, the rest waits again: it fails or succeeds with all other units. */
  private async oneByOne(units: readonly QueuedUnit[]): Promise<void> {
    for (const [n, entry] of units.entries()) {
      try {
        const [applied] = await this.transaction([{ ...entry, isStepwise: true }]);
        entry.resolve(applied === true);
      } catch (error) {
        if (isAway(error)) {
          this.waiting.unshift(...units.slice(n + 1));
          return this.giveUp([entry], error);
        }
        if (entry.background && isInTheWay(error) && entry.timesPutBack < MAX_PUT_BACK) {
          entry.timesPutBack += 1;
          this.background.push(entry);
        } else {
          this.settle([entry], error);
        }
      }
    }
  }

  /**
   * Fails the waiting units as well, since they would fail in the same way. If a connection broke they are kept:
   * another one may serve them.
   */
  private giveUp(units: readonly QueuedUnit[], error: unknown): void {
    this.settle(units, error);
    if (error instanceof OutcomeUnknown && !error.hangs) return;
    const reason = error instanceof OutcomeUnknown ? error.cause : error;
    this.settle([...this.waiting.splice(0), ...this.background.splice(0)], reason);
  }

  private settle(units: readonly QueuedUnit[], error: unknown): void {
    for (const { resolve, reject } of units) {
      if (error instanceof PartialUnit) resolve(false);
      else reject(error);
    }
  }
}
