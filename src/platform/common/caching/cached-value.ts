import { setTimeout as pause } from 'node:timers/promises';

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
