import { failureOf } from '../support/authenticator/failure-of.js';
import { REFUSED_BY_READING } from './readings.js';
import { type Ceremony, reportMissing, vectorsAvailable, verdictOf } from './vectors.js';

/** The core's verdict on a ceremony: `valid`, or the name of its failure. */
export const outcomeOf = (check: () => unknown): string => failureOf(check) ?? 'valid';

/** Describes tests of the collection; without the collection, one test that says so stands in for them. */
export function describeCollected(
  title: string,
  entries: readonly Ceremony[],
  tests: () => void,
): void {
  describe(title, () => {
    if (vectorsAvailable()) return tests();
    it('reports that the collection is missing', () => {
      reportMissing(title);
      expect(entries).toEqual([]);
    });
  });
}

/** Tests that each ceremony has the outcome that the collection names, or the one of our reading. */
export function testVerdicts(
  entries: readonly Ceremony[],
  outcome: (entry: Ceremony) => string,
): void {
  const undisputed = entries.filter((entry) => !REFUSED_BY_READING.has(entry.id));
  it.each(undisputed.map((entry) => [entry.id, verdictOf(entry), entry] as const))(
    'evaluates the collected ceremony %s as %s',
    (_id, verdict, entry) => {
      const result = outcome(entry);
      expect(result === 'valid' ? 'valid' : `invalid: ${result}`).toMatch(
        new RegExp(`^${verdict}`),
      );
    },
  );

  it('refuses the disputed ceremonies for the reasons in our list of readings', () => {
    const disputed = entries.filter((entry) => REFUSED_BY_READING.has(entry.id));
    const readings = disputed.map(({ id }) => [id, REFUSED_BY_READING.get(id)]);
    expect(disputed.map((entry) => [entry.id, outcome(entry)])).toEqual(readings);
  });
}
