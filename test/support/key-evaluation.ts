import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { countOf } from './rows.js';
import type { TestServer } from './test-server.js';

/** Unfinished evaluations; nobody finishes those of relying parties that were removed meanwhile. */
const UNDER_WAY = `judgements j JOIN relying_parties r ON r.id = j.relying_party_id
  WHERE j.done = 0 AND r.closed_at = 0`;

/** Evaluates all keys now. A round stops if one of the server's own is faster. */
export async function evaluateKeys(server: TestServer): Promise<void> {
  do await server.get(FindingsJob).catchUp();
  while ((await countOf(server, UNDER_WAY)) > 0);
}
