import { eventually } from './eventually.js';
import { readCount } from './read-rows.js';

const OTHERS = 'information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';

/**
 * Waits until a database has no connection of a process that was killed: a database server completes the statements
 * that it has received, and commits them.
 */
export async function connectionsEnded(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) return;
  await eventually(async () => expect(await readCount(url, OTHERS)).toBe(0));
}
