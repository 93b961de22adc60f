#!/usr/bin/env node
/** `npm run test:races [-- ROUNDS]`: each race, ROUNDS times (200), on every database and on two instances. */
import { runHarness, sum } from './lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/races\\.e2e-spec\\.ts',
  usual: 200,
  title: 'races',
  total: (reported) => ({
    races: reported.length,
    rounds: sum(reported, 'rounds'),
  }),
});
