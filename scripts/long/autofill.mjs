/**
 * `npm run long -- autofill [VISITORS]`: visitors (1000) leave a page open for an hour whose form offers
 * passkeys, and sign in at its end. A ceremony lives for 60 s instead of 600, so that the hour takes six
 * minutes: each page begins anew as often as in an hour.
 */
import { most, runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/autofill.e2e-spec.ts',
  usual: 1000,
  title: 'autofill',
  total: (reported) => ({
    visitors: sum(reported, 'visitors'),
    begun: sum(reported, 'begun'),
    'sign-ins refused': sum(reported, 'refused'),
    'MiB before': most(reported, 'before'),
    'MiB at most': most(reported, 'most'),
  }),
});
