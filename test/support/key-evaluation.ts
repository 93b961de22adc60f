import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { countOf } from './rows.js';
import type { TestServer } from './test-server.js';

/** Evaluates all keys now. A round stops if one of the server's own is faster. */
export async function evaluateKeys(server: TestServer): Promise<void> {
  do await server.get(FindingsJob).catchUp();
  while ((await countOf(server, 'judgements WHERE done = 0')) > 0);
}
