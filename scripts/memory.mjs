#!/usr/bin/env node
/**
 * `npm run test:memory [-- SECONDS]`: the heaviest begin calls of one address, as fast as they are
 * answered, for so long (60), against a heap of 256 MB, while somebody else signs in.
 */
import { most, runHarness, sum } from './lib/harness.mjs';

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
