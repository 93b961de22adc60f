/**
 * `npm run long -- faults [SECONDS]`: MariaDB and Redis are frozen, stopped and killed under load, for
 * SECONDS (30) each time.
 */
import { most, runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/faults.e2e-spec.ts',
  usual: 30,
  title: 'faults',
  total: (reported) => ({
    outages: reported.length,
    answers: sum(reported, 'answers'),
    refused: sum(reported, 'refused'),
    'slowest ms': most(reported, 'slowestMs'),
    'slowest but frozen MariaDB ms': most(
      reported.filter(({ fault }) => fault !== 'MariaDB frozen'),
      'slowestMs',
    ),
    'healed within ms': most(reported, 'healedMs'),
    acknowledged: sum(reported, 'acknowledged'),
    lost: sum(reported, 'lost'),
  }),
});
