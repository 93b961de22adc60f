import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/**
 * A map that drops the least recently used entries when it has more than its limit. It grows as it fills: `max` of
 * lru-cache would allocate the memory for all of them at each start.
 */
export class BoundedMap<T extends object | number> extends LRUCache<string, T> {
  constructor(entries: number) {
    super({ maxSize: entries, sizeCalculation: () => 1 });
  }
}

/** A value is cached for this many times as long as it took to get. */
const WORTH = 40;
/** How long callers wait for a new value, if there is an old one. */
const PATIENCE_MS = 250;

/**
 * A value that takes long to get. The longer it took, the longer it is cached, so that getting it is never more
 * than a small part of the database's work. When it is old, callers wait for a moment, and then receive the old
 * value while the new one is fetched for all of them.
 */
export class CachedValue<T> {
  private value: T | undefined;
  private goodUntil = 0;
  private coming: Promise<T> | undefined;

  constructor(private readonly get: () => Promise<T>) {}

  /** @throws the error of getting the value, if there is no old value */
  async read(): Promise<T> {
    const { value } = this;
    if (value !== undefined && performance.now() < this.goodUntil) return value;
    this.coming ??= this.renew().finally(() => (this.coming = undefined));
    if (value === undefined) return this.coming;
    // The old value is returned instead.
    const patience = pause(PATIENCE_MS, value, { ref: false });
    return Promise.race([this.coming.catch(() => value), patience]);
  }

  private async renew(): Promise<T> {
    const began = performance.now();
    const value = await this.get();
    const now = performance.now();
    this.goodUntil = now + (now - began) * WORTH;
    return (this.value = value);
  }
}

/**
 * For data that is read repeatedly and kept in memory: of two overlapping reads, the one that began first may end last,
 * and must not replace the result of the other.
 */
export class OverlappingReads {
  private begun = 0;
  private kept = 0;

  /**
   * Must be called before a read begins.
   *
   * @returns a function to call when the read has ended: whether to keep its result; `false` if the result of a later
   *   read is kept already
   */
  begin(): () => boolean {
    this.begun += 1;
    const reading = this.begun;
    return () => {
      if (reading < this.kept) return false;
      this.kept = reading;
      return true;
    };
  }
}
