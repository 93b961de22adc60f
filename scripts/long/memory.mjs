/**
 * `npm run long -- memory [SECONDS]`: for SECONDS (60), one address sends the heaviest begin calls as fast
 * as they are answered to a server with a heap of 256 MB, while somebody else signs in.
 */
import { most, runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/memory.e2e-spec.ts',
  usual: 60,
  title: 'memory',
  total: (reported) => ({
    begun: sum(reported, 'begun'),
    refused: sum(reported, 'refused'),
    'sign-ins of others': sum(reported, 'signIns'),
    'MiB before': most(reported, 'residentBefore'),
    'MiB at most': most(reported, 'residentAfter'),
  }),
});
