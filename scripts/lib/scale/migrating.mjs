import { spread } from '../harness.mjs';
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

/** Changes a table while people sign in; what it changes is undone. @returns their failures */
export async function migrate(connection, table, people) {
  const failed = [];
  for (const [title, change, undo] of STEPS) {
    const { seconds, durations, failures } = await people.during(() =>
      connection.query(`ALTER TABLE ${table} ${change}`),
    );
    await connection.query(`ALTER TABLE ${table} ${undo}`);
    failed.push(...failures);
    const meanwhile = `${durations.length} logins meanwhile, ${spread(durations)}`;
    say(`${title} of ${table}: ${seconds.toFixed(2)} s; ${meanwhile}`);
  }
  return failed;
}
