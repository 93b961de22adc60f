/**
 * `npm run long -- webhooks [TIMES]`: TIMES times (8), under load, the receiver of webhooks is killed and
 * started again, and then the server, with SIGKILL; on SQLite, and on MariaDB with two instances. Each event
 * of the ledger must have arrived at least once, those of a user in their order.
 */
import { runHarness, sum } from '../lib/harness.mjs';

await runHarness({
  spec: 'test/resilience/webhooks\\.e2e-spec\\.ts$',
  usual: 8,
  title: 'webhooks',
  total: (reported) => ({
    kills: sum(reported, 'kills'),
    events: sum(reported, 'events'),
    messages: sum(reported, 'messages'),
    lost: sum(reported, 'lost'),
    'out of order': sum(reported, 'disordered'),
  }),
});
