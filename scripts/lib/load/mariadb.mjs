import { setTimeout as pause } from 'node:timers/promises';
import { say } from '../project.mjs';

const IDLE_MS = 10_000;
/** Counters of MariaDB for statements, look-ups in indexes, rows, locks, bytes and pages. */
const COUNTERS =
  /^(?:Com_(?:select|insert|update|delete|commit)|Handler_(?:read_key|write|update|delete)|Bytes_(?:received|sent)|Innodb_(?:buffer_pool_reads|os_log_written|row_lock_waits)|Binlog_bytes_written)$/;
const SIZES = `SELECT table_name AS name, data_length AS bytes, index_length AS index_bytes
  FROM information_schema.tables
  WHERE table_schema = DATABASE() AND data_length > 1048576 ORDER BY data_length DESC`;

/**
 * Returns the cost of one of many items for a MariaDB that nobody else uses, without the background activity of the
 * server's jobs.
 *
 * @param work processes the given number of items
 */
export async function costOfEach(store, count, work) {
  const idle = await during(store, () => pause(IDLE_MS));
  const busy = await during(store, work);
  const share = busy.seconds / idle.seconds;
  const costs = Object.entries(busy.counts).map(([name, total]) => {
    const n = Math.max(0, (total - idle.counts[name] * share) / count);
    return `${name} ${n.toFixed(n < 20 ? 2 : 0)}`;
  });
  return costs.join(', ');
}

async function during(store, work) {
  const before = await read(store);
  const began = performance.now();
  await work();
  const after = await read(store);
  const seconds = (performance.now() - began) / 1000;
  const counts = Object.entries(after).map(([name, value]) => [name, value - before[name]]);
  return { counts: Object.fromEntries(counts), seconds };
}

async function read(store) {
  const rows = await store.rows('SHOW GLOBAL STATUS');
  const counters = rows.filter(({ Variable_name: name }) => COUNTERS.test(name));
  return Object.fromEntries(
    counters.map(({ Variable_name: name, Value }) => [name, Number(Value)]),
  );
}

/** The tables of more than a megabyte, largest first. */
export async function saySizes(store) {
  for (const { name, bytes, index_bytes } of await store.rows(SIZES)) {
    const rows = await store.count(name);
    const [data, indexes] = [bytes, index_bytes].map((size) => Math.round(Number(size) / rows));
    say(`${name}: ${rows} rows of ${data} bytes, ${indexes} in indexes`);
  }
}
