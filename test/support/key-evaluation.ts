import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { countOf } from './rows.js';
import type { TestServer } from './test-server.js';

/** Holds all keys against the rules now. A round stops where the server does one itself and is faster. */
export async function evaluateKeys(server: TestServer): Promise<void> {
  do await server.get(FindingsJob).catchUp();
  while ((await countOf(server, 'judgements WHERE done = 0')) > 0);
}
