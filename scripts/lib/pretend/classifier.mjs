/** The number of bins for a number; each contains an equal part of the training values. */
const BINS = 64;

/** A naive Bayes classifier of two kinds over text features: unseen values count as equally likely for both. */
class Classifier {
  /** The number of occurrences for each kind, by the feature's position, then by its value. */
  #seen = [];
  #count = [0, 0];

  /** @param kind 0 or 1 */
  learn(features, kind) {
    this.#count[kind] += 1;
    features.forEach((value, place) => {
      const values = (this.#seen[place] ??= new Map());
      const counts = values.get(value) ?? [0, 0];
      counts[kind] += 1;
      values.set(value, counts);
    });
  }

  /** How much more likely the second kind is, as a logarithm. */
  weigh(features) {
    return features.reduce((sum, value, place) => {
      const counts = this.#seen[place]?.get(value);
      if (counts === undefined) return sum;
      const [first, second] = counts.map((n, kind) => (n + 1) / (this.#count[kind] + 2));
      return sum + Math.log(second / first);
    }, 0);
  }
}

/**
 * Returns the share of the second half that a classifier trained on the first identifies correctly.
 *
 * @param samples `{ kind, … }` in random order
 * @param makeFeatures creates, from the training samples, a function that returns a sample's features
 */
export function shareTold(samples, makeFeatures) {
  const half = Math.floor(samples.length / 2);
  const [known, asked] = [samples.slice(0, half), samples.slice(half)];
  const featuresOf = makeFeatures(known);
  const classifier = new Classifier();
  for (const sample of known) classifier.learn(featuresOf(sample), sample.kind);
  const right = asked.filter((sample) => {
    const weight = classifier.weigh(featuresOf(sample));
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
