const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The two greatest units of a span, such as `3 days 4 hours`. */
export function durationOf(seconds: number): string {
  let left = Math.floor(seconds);
  const parts = UNITS.flatMap(([unit, length]) => {
    const n = Math.floor(left / length);
    left -= n * length;
    return n === 0 ? [] : [`${n} ${unit}${n === 1 ? '' : 's'}`];
  });
  return parts.slice(0, 2).join(' ') || 'less than a minute';
}
