import { setTimeout as pause } from 'node:timers/promises';

/** The share of time for a job without a waiting caller. */
const GENTLE_SHARE = 0.03;
/** The longest wait, so that a job that must stop does so soon. */
const MAX_MS = 1_000;

export interface JobProgress {
  /** The share of the job that is done, 0 to 1. */
  readonly done: number;
  /** Time from its beginning within which the whole job must be done. */
  readonly withinMs: number;
}

/**
 * Spreads the steps of a long job over the time in which it must be done, so that others do not notice them: between
 * two steps it waits 32 times as long as the last step took, or less if the job would be late.
 */
export class Pace {
  private readonly began = performance.now();
  private stepBegan = this.began;

  /** Await it between two steps; waits as long as `pauseBeforeStep` says. */
  async next(progress: JobProgress): Promise<void> {
    const now = performance.now();
    const wait = pauseBeforeStep(progress, {
      elapsedMs: now - this.began,
      stepMs: now - this.stepBegan,
    });
    if (wait > 0) await pause(wait);
    this.stepBegan = performance.now();
  }
}

/** How long a job waits before its next step, in milliseconds; 0 if it is late. */
export function pauseBeforeStep(
  { done, withinMs }: JobProgress,
  { elapsedMs, stepMs }: { readonly elapsedMs: number; readonly stepMs: number },
): number {
  const gentle = stepMs / GENTLE_SHARE - stepMs;
  return Math.max(0, Math.min(gentle, done * withinMs - elapsedMs, MAX_MS));
}

/** Interrupts a long calculation after each slice of time, and lets other work run for as long as the slice took. */
export class TimeSlices {
  private began = performance.now();

  /** @param sliceMs length of a slice in milliseconds */
  constructor(private readonly sliceMs: number) {}

  /** Await it between two steps; waits if a slice has ended. */
  async next(): Promise<void> {
    const took = performance.now() - this.began;
    if (took < this.sliceMs) return;
    await pause(took);
    this.began = performance.now();
  }
}
