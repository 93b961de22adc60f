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
    p99: percentile(durations, 0.99),
    p999: percentile(durations, 0.999),
  };
}

/** Several rounds of one phase as one: the median of each figure. */
export function medians(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((one) => one[name]))]));
}

/** Student's t for 95 % on two sides, by the degrees of freedom from one on; then as for the last. */
const T = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

/**
 * How many times the second numbers the first are, pair by pair: the geometric mean, and between which
 * bounds it lies with 95 % if the pairs differ by chance. One pair says nothing of that.
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
