import { codeOfDriverError } from '../errors/driver-errors.js';
import { HalfDone } from './unit.js';
import type { Unit } from './unit.js';

/** Stores all units in one transaction; says of each whether its guards let it pass. */
export type Transaction = (units: readonly Unit[]) => boolean[] | Promise<boolean[]>;

interface Waiting {
  unit: Unit;
  resolve(applied: boolean): void;
  reject(error: unknown): void;
}

/** Whether the database did not answer at all: then asking for each unit alone is waiting in vain. */
const isAway = (error: unknown): boolean =>
  codeOfDriverError(error) === 'E0052R' && !(error instanceof Error && 'sqlState' in error);

/** Keeps a transaction short even when hundreds arrive together. */
const MAX_UNITS = 64;

/**
 * Group commit: units that arrive in one turn of the event loop, or while a transaction is under
 * way, are stored by one transaction, and each is answered after it. So durability costs one sync
 * for many logins under load, and a lone login waits for nobody.
 *
 * A unit that fails must not undo its neighbours. Failing is rare, so nothing is spent on it
 * beforehand (no savepoints): the transaction is rolled back and each unit plays again alone.
 */
export class CommitQueue {
  private waiting: Waiting[] = [];
  private busy = false;

  constructor(private readonly transaction: Transaction) {}

  /** @returns whether the unit was applied; `false` when a guard touched no row */
  commit(unit: Unit): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ unit, resolve, reject });
      if (this.busy) return;
      this.busy = true;
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_UNITS);
      try {
        const applied = await this.transaction(batch.map(({ unit }) => unit));
        batch.forEach(({ resolve }, i) => resolve(applied[i] === true));
      } catch (error) {
        if (batch.length === 1 || isAway(error)) this.settle(batch, error);
        else for (const entry of batch) await this.alone(entry);
      }
    }
    this.busy = false;
  }

  private async alone(entry: Waiting): Promise<void> {
    try {
      const [applied] = await this.transaction([entry.unit]);
      entry.resolve(applied === true);
    } catch (error) {
      this.settle([entry], error);
    }
  }

  private settle(batch: readonly Waiting[], error: unknown): void {
    for (const { resolve, reject } of batch) {
      if (error instanceof HalfDone) resolve(false);
      else reject(error);
    }
  }
}
