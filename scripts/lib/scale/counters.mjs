import { setTimeout as pause } from 'node:timers/promises';
import { say } from '../project.mjs';

/** Status variables of MariaDB, by our names. */
const STATUS = {
  selects: ['Com_select'],
  inserts: ['Com_insert', 'Com_insert_select', 'Com_replace'],
  updates: ['Com_update'],
  deletes: ['Com_delete'],
  transactions: ['Com_commit'],
  'entries looked up': ['Handler_read_key'],
  'entries walked': ['Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd_next'],
  'rows inserted': ['Handler_write'],
  'rows updated': ['Handler_update'],
  'rows deleted': ['Handler_delete'],
  'bytes from the server': ['Bytes_received'],
  'bytes to the server': ['Bytes_sent'],
  'pages looked at': ['Innodb_buffer_pool_read_requests'],
  'pages from disk': ['Innodb_buffer_pool_reads'],
  'bytes of redo log': ['Innodb_os_log_written'],
  'bytes of row images': ['Binlog_bytes_written'],
  'waits for row locks': ['Innodb_row_lock_waits'],
};
const METRICS = {
  'record locks made': 'lock_rec_lock_created',
  'record locks asked for': 'lock_rec_lock_requests',
  'table locks made': 'lock_table_lock_created',
};

const IDLE_MS = 10_000;

/** The activity of a MariaDB since its start, of all callers together. */
export class Counters {
  #store;

  constructor(store) {
    this.#store = store;
  }

  async enable() {
    for (const metric of Object.values(METRICS)) {
      await this.#store.run(`SET GLOBAL innodb_monitor_enable = '${metric}'`);
    }
  }

  /**
   * Prints the cost of one of many items, without the background activity of the server's jobs.
   *
   * @param title of one item
   * @param work processes the given number of items
   */
  async each(title, count, work) {
    const idle = await this.#during(() => pause(IDLE_MS));
    const busy = await this.#during(work);
    const share = busy.seconds / idle.seconds;
    const costs = Object.entries(busy.counts).map(([name, total]) => {
      const n = Math.max(0, (total - idle.counts[name] * share) / count);
      return `${name} ${n.toFixed(n < 20 ? 2 : 0)}`;
    });
    say(`${title} by itself: ${costs.join(', ')}`);
  }

  async #during(work) {
    const [before, began] = [await this.#read(), performance.now()];
    await work();
    const [after, seconds] = [await this.#read(), (performance.now() - began) / 1000];
    const counts = Object.entries(after).map(([name, value]) => [name, value - before[name]]);
    return { counts: Object.fromEntries(counts), seconds };
  }

  async #read() {
    const status = await this.#store.rows('SHOW GLOBAL STATUS');
    const values = new Map(
      status.map(({ Variable_name, Value }) => [Variable_name, Number(Value)]),
    );
    const metrics = await this.#store.rows(
      "SELECT name, count FROM information_schema.innodb_metrics WHERE name LIKE 'lock%'",
    );
    for (const { name, count } of metrics) values.set(name, Number(count));
    const summed = Object.entries(STATUS).map(([name, parts]) => {
      return [name, parts.reduce((sum, part) => sum + (values.get(part) ?? 0), 0)];
    });
    const locks = Object.entries(METRICS).map(([name, metric]) => [name, values.get(metric)]);
    return Object.fromEntries([...summed, ...locks]);
  }
}
