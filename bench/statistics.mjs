/** The median of some numbers. */
export const median = (numbers) => percentile(numbers, 0.5);

/** The number below which this share of all numbers lies. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** One phase of one round: throughput, CPU cost, and latency. */
export function evaluate({ durations, seconds, cpu }) {
  return {
    perSecond: durations.length / seconds,
    cpuMicros: (cpu * 1e6) / durations.length,
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
    p999: percentile(durations, 0.999),
  };
}

/** Combines several rounds of one phase: the median of each figure. */
export function medians(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((one) => one[name]))]));
}

/** Student's t for 95 %, two-sided, by the degrees of freedom from one on; the last value is used for all beyond. */
const T = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

/**
 * Returns the ratio of the second numbers to the first, pair by pair: the geometric mean, and its 95 %
 * confidence interval if the pairs differ randomly. A single pair has no interval.
 */
export function ratioOf(numbers, others) {
  const logs = numbers.map((number, n) => Math.log(number / others[n]));
  const mean = sumOf(logs) / logs.length;
  const freedom = logs.length - 1;
  const variance = sumOf(logs.map((log) => (log - mean) ** 2)) / freedom;
  const error = (T[freedom - 1] ?? T.at(-1)) * Math.sqrt(variance / logs.length);
  const [ratio, least, most] = [mean, mean - error, mean + error].map(Math.exp);
  return freedom === 0 ? { ratio } : { ratio, least, most };
}

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
