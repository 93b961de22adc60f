import { setTimeout as pause } from 'node:timers/promises';

/** What a job that nobody waits for takes of the time. */
const GENTLE_SHARE = 0.03;
/** A job that is to end waits no longer than this. */
const MOST_MS = 1_000;

/** How far a job has come. */
export interface Progress {
  /** How much of it is done, 0 to 1. */
  readonly done: number;
  /** In which all of it is to be done, since it began. */
  readonly withinMs: number;
}

/**
 * Spreads the steps of a long job over the time in which it has to be done, so that nobody else feels them:
 * between two steps it waits 32 times as long as the last one took, and less only where it would be late.
 */
export class Pace {
  private readonly began = performance.now();
  private stepBegan = this.began;

  /** Between two steps. */
  async next(progress: Progress): Promise<void> {
    const now = performance.now();
    const wait = waitOf(progress, { elapsedMs: now - this.began, stepMs: now - this.stepBegan });
    if (wait > 0) await pause(wait);
    this.stepBegan = performance.now();
  }
}

/** How long a job waits before its next step, in milliseconds; nothing where it is late. */
export function waitOf(
  { done, withinMs }: Progress,
  { elapsedMs, stepMs }: { readonly elapsedMs: number; readonly stepMs: number },
): number {
  const gentle = stepMs / GENTLE_SHARE - stepMs;
  return Math.max(0, Math.min(gentle, done * withinMs - elapsedMs, MOST_MS));
}
