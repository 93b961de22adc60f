/**
 * `npm run long -- departures [COUNT]`: COUNT times (50), one of two instances behind a balancer is told
 * to stop under load, and starts again. No ceremony may fail.
 */
import { runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/departures.e2e-spec.ts',
  usual: 50,
  title: 'departures',
  total: (reported) => ({
    departures: sum(reported, 'departures'),
    calls: sum(reported, 'calls'),
    'second tries': sum(reported, 'retries'),
  }),
});
