#!/usr/bin/env node
/**
 * `npm run test:replays [-- COUNT]`: so many replays (100,000) in sequence, 50 at once, across two
 * instances, after a restart and after Redis was set back.
 */
import { runHarness, sum } from './lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/replays.e2e-spec.ts',
  usual: 100_000,
  title: 'replays',
  total: (reported) => ({ replays: sum(reported, 'replays'), accepted: sum(reported, 'accepted') }),
});
