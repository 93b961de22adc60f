/**
 * `npm run long -- move [COUNT --store sqlite|mariadb]`: COUNT people (10,000) move from an old domain to a
 * new one while they sign in, and back; then the old one is removed. No sign-in may fail, and an invoice
 * counts each person once.
 */
import { runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/move.e2e-spec.ts',
  usual: 10_000,
  onStores: true,
  title: 'move',
  total: (reported) => ({
    people: sum(reported, 'people'),
    ceremonies: sum(reported, 'calls'),
    'slowest ms': sum(reported, 'slowest'),
  }),
});
