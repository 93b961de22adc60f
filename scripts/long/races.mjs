/**
 * `npm run long -- races [ROUNDS]`: each race, ROUNDS times (200), on every database and on two instances; with
 * lost answers of the database, a process that ends between any two messages to it, clocks that jump by an hour,
 * and a Redis that is set back, with and without INFO.
 */
import { runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/(races|lost-connection|killed-statements|session-store-faults)\\.e2e-spec\\.ts',
  usual: 200,
  title: 'races',
  total: (reported) => ({
    races: reported.length,
    rounds: sum(reported, 'rounds'),
  }),
});
