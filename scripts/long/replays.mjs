/**
 * `npm run long -- replays [COUNT]`: COUNT replays (100,000) one after another, 50 at once, across two
 * instances, after a restart and after Redis was set back.
 */
import { runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/replays.e2e-spec.ts',
  usual: 100_000,
  title: 'replays',
  total: (reported) => ({ replays: sum(reported, 'replays'), accepted: sum(reported, 'accepted') }),
});
