import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from '../platform/database/database.js';
import { idFrom } from '../platform/database/row-ids.js';
import { NTH_EVENT, type EventRange } from './event.statements.js';

/** Some fifteen milliseconds on SQLite, which does nothing else meanwhile. */
const EVENTS_PER_STATEMENT = 500;

/**
 * Divides a range of times into ranges of few events, and lets other work run between two of them.
 *
 * @param from milliseconds since 1970
 * @param to exclusive
 */
export async function* eventSlices(
  database: Database,
  from: number,
  to: number,
): AsyncGenerator<EventRange, void> {
  const end = idFrom(to);
  let slice: EventRange | undefined = from < to ? { from: idFrom(from), to: end } : undefined;
  while (slice) {
    const [next] = await database.query(NTH_EVENT, { ...slice, n: EVENTS_PER_STATEMENT });
    yield next ? { from: slice.from, to: next.id } : slice;
    slice = next && { from: next.id, to: end };
    await yieldToEventLoop();
  }
}
