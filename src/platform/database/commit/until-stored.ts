import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../errors/api-error.js';
import type { PlainReason } from '../../errors/reasons.js';

/** What an attempt returns if others have changed what it had read. It has stored nothing then. */
export const OVERTAKEN = Symbol('overtaken');

/** How often a change is attempted: directories put one user into many groups at the same time. */
const TRIES = 25;

interface RepetitionOptions {
  readonly tries?: number;
  /** The longest pause after a try, in milliseconds. Its length is random, so that competing changes spread. */
  readonly maxPauseMs?: number;
}

/**
 * Repeats a change for as long as others change in between what it had read.
 *
 * ```ts
 * return untilStored('user.changing', async () => {
 *   const before = await this.find(name);
 *   return (await commit(stepsFor(before))) ? before : OVERTAKEN;
 * });
 * ```
 *
 * @param reason why the call is refused if others were faster each time
 * @param attempt is called for each try and reads everything again; if it throws, no further try follows
 * @throws ApiError E0052R
 */
export async function untilStored<Result>(
  reason: PlainReason,
  attempt: () => Promise<Result | typeof OVERTAKEN>,
  { tries = TRIES, maxPauseMs = 0 }: RepetitionOptions = {},
): Promise<Result> {
  for (let n = 0; n < tries; n += 1) {
    const result = await attempt();
    if (result !== OVERTAKEN) return result;
    if (maxPauseMs > 0) await pause(Math.random() * maxPauseMs);
  }
  throw new ApiError('E0052R', reason);
}
