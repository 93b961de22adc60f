/** The number of bins for a number; each contains an equal part of the training values. */
const BINS = 64;

/**
 * Returns the share of the second half that a naive Bayes classifier trained on the first identifies correctly. Unseen
 * values count as equally likely for both kinds.
 *
 * @param samples `{ kind, … }` in random order, of kind 0 or 1
 * @param makeFeatures creates, from the training samples, a function that returns a sample's features
 */
export function shareTold(samples, makeFeatures) {
  const half = Math.floor(samples.length / 2);
  const known = samples.slice(0, half);
  const asked = samples.slice(half);
  const featuresOf = makeFeatures(known);
  /** The number of occurrences for each kind, by the feature's position, then by its value. */
  const seen = [];
  const totals = [0, 0];
  for (const sample of known) {
    totals[sample.kind] += 1;
    for (const [place, value] of featuresOf(sample).entries()) {
      const values = (seen[place] ??= new Map());
      const counts = values.get(value) ?? [0, 0];
      counts[sample.kind] += 1;
      values.set(value, counts);
    }
  }
  /** How much more likely the second kind is, as a logarithm. */
  const weigh = (value, place) => {
    const counts = seen[place]?.get(value);
    if (counts === undefined) return 0;
    const [first, second] = counts.map((n, kind) => (n + 1) / (totals[kind] + 2));
    return Math.log(second / first);
  };
  const right = asked.filter((sample) => {
    const features = featuresOf(sample);
    const weight = features.reduce((sum, value, place) => sum + weigh(value, place), 0);
    return weight === 0 ? Math.random() < 0.5 : weight > 0 === (sample.kind === 1);
  });
  return right.length / asked.length;
}

/** Features that do not depend on the training samples. */
export const exact = (featuresOf) => () => featuresOf;

/** The feature of a number: its bin among bins of equal size. */
export const binned = (numberOf) => (known) => {
  const sorted = Float64Array.from(known, numberOf).sort();
  const bounds = Array.from({ length: BINS - 1 }, (_, n) =>
    sorted.at(Math.floor(((n + 1) * sorted.length) / BINS)),
  );
  return (sample) => [bounds.findIndex((bound) => numberOf(sample) < bound)];
};
