import { setTimeout as pause } from 'node:timers/promises';

/** Lets others have their turn beside a long calculation: for as long as it went on itself. */
export class Slices {
  private began = performance.now();

  /** @param sliceMs how long it goes on at a time */
  constructor(private readonly sliceMs: number) {}

  /** Between two steps: waits where a slice has ended. */
  async next(): Promise<void> {
    const took = performance.now() - this.began;
    if (took < this.sliceMs) return;
    await pause(took);
    this.began = performance.now();
  }
}
