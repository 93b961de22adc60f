import { setTimeout as pause } from 'node:timers/promises';

/** The value; `undefined` if it takes too long or fails, for a page that works without it. */
export async function valueIfSoon<T>(
  value: Promise<T>,
  patienceMs: number,
): Promise<T | undefined> {
  const gone = value.catch(() => undefined);
  return Promise.race([gone, pause(patienceMs, undefined, { ref: false })]);
}
