/** The middle of some numbers. */
export const median = (numbers) => percentile(numbers, 0.5);

/** The number below which this share of all lies. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** One phase of one round: how much was done, at which price, how fast for the one who waits. */
export function evaluate({ durations, seconds, cpu }) {
  return {
    perSecond: durations.length / seconds,
    cpuMicros: (cpu * 1e6) / durations.length,
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    p99: percentile(durations, 0.99),
  };
}

/** Several rounds of one phase as one: the median of each figure. */
export function medians(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((one) => one[name]))]));
}
