/** Bins of a number, each with as many of those that were learnt. */
const BINS = 64;

/**
 * A naive Bayes classifier of two kinds over features that are texts: what it has not seen it takes for as
 * likely of either.
 */
export class Classifier {
  /** By the feature's place, then by its value: how often it was of each kind. */
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

  /** How much likelier the second kind is, as a logarithm. */
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
 * The share of the second half that a classifier tells apart which has learnt from the first.
 *
 * @param samples `{ kind, … }` in the order of chance
 * @param makeFeatures makes, of the samples to learn from, what makes a sample's features
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

/** Features of a number: in which of the bins of equal size it lies. */
export const binned = (numberOf) => (known) => {
  const sorted = Float64Array.from(known, numberOf).sort();
  const bounds = Array.from({ length: BINS - 1 }, (_, n) =>
    sorted.at(Math.floor(((n + 1) * sorted.length) / BINS)),
  );
  return (sample) => [bounds.findIndex((bound) => numberOf(sample) < bound)];
};
