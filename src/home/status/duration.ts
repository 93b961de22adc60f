import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A duration in its two greatest units, such as `3 days 4 hours`. */
export function durationOf(seconds: number): Phrase {
  let left = Math.floor(seconds);
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [phrase(`status:duration.${unit}`, { count })];
  });
  const [first, second] = parts;
  if (!first) return phrase('status:duration.moment');
  return second ? phrase('status:duration.two', { first, second }) : first;
}
