import { createConnection } from 'mysql2/promise';
import { say } from '../project.mjs';

/** What migrations do to a table, and what undoes it. */
const STEPS = [
  [
    'a column with a default',
    'ADD COLUMN scale_probe INT NOT NULL DEFAULT 7',
    'DROP COLUMN scale_probe',
  ],
  ['an index', 'ADD INDEX ix_scale_probe (relying_party_id, id)', 'DROP INDEX ix_scale_probe'],
];

/**
 * Changes a table while people sign in; what it changes is undone.
 *
 * @param logins people who sign in meanwhile
 */
export async function migrate(url, table, logins) {
  const connection = await createConnection({ uri: url });
  try {
    for (const [title, change, undo] of STEPS) {
      logins.begin();
      const seconds = await timed(() => connection.query(`ALTER TABLE ${table} ${change}`));
      await logins.end();
      await connection.query(`ALTER TABLE ${table} ${undo}`);
      const longest = Math.max(...logins.durations).toFixed(0);
      const meanwhile = `${logins.durations.length} logins meanwhile, the longest ${longest} ms`;
      say(`${title} of ${table}: ${seconds.toFixed(2)} s; ${meanwhile}`);
      logins.durations.length = 0;
    }
  } finally {
    await connection.end();
  }
}

async function timed(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
