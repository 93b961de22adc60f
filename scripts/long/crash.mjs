/**
 * `npm run long -- crash [TIMES]`: kills the server with SIGKILL this many times (100) under load, on every
 * database, and in the middle of the deletion of a list.
 */
import { most, runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/(?:resilience/crash|user-admin/delete-list-crash)\\.e2e-spec\\.ts$',
  usual: 100,
  title: 'crash',
  total: (reported) => ({
    kills: sum(reported, 'kills'),
    acknowledged: sum(reported, 'acknowledged'),
    lost: sum(reported, 'lost'),
    'deleted in spite of kills': sum(reported, 'deleted'),
    'ready again within ms': most(reported, 'readyMs'),
  }),
});
