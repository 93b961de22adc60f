import { setTimeout as pause } from 'node:timers/promises';

/**
 * Interrupts a long calculation after each slice of time, and lets other work run for as long as the slice
 * took.
 */
export class Slices {
  private began = performance.now();

  /** @param sliceMs length of a slice in milliseconds */
  constructor(private readonly sliceMs: number) {}

  /** To be awaited between two steps; waits where a slice has ended. */
  async next(): Promise<void> {
    const took = performance.now() - this.began;
    if (took < this.sliceMs) return;
    await pause(took);
    this.began = performance.now();
  }
}
