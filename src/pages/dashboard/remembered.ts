/** How much longer a value is kept than it took to get. */
const WORTH = 40;
/** How long somebody waits for a new value while there is an old one. */
const PATIENCE_MS = 250;

/**
 * A value that takes long to get, kept for the longer the longer it took: so asking for it can never
 * be more than a small part of what the database does. When it is old, who asks waits for a moment
 * and then is shown the old one, while a new one is on its way for all.
 */
export class Remembered<T> {
  private value: T | undefined;
  private goodUntil = 0;
  private coming: Promise<T> | undefined;

  constructor(private readonly get: () => Promise<T>) {}

  /** @throws what getting it throws, where there is no old value to be shown */
  async read(): Promise<T> {
    const { value } = this;
    if (value !== undefined && performance.now() < this.goodUntil) return value;
    this.coming ??= this.renew().finally(() => (this.coming = undefined));
    if (value === undefined) return this.coming;
    // The old one is shown where there is no new one.
    return Promise.race([this.coming.catch(() => value), patience(value)]);
  }

  private async renew(): Promise<T> {
    const began = performance.now();
    const value = await this.get();
    const now = performance.now();
    this.goodUntil = now + (now - began) * WORTH;
    return (this.value = value);
  }
}

const patience = <T>(value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, value).unref());
