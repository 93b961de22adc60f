import { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import { DATABASES } from '../support/databases.js';
import { loadStatements } from '../support/schema/statements.js';
import { TestServer } from '../support/test-server.js';

/** What other statements are made of begins with no verb; this one takes a text, not a list. */
const PARTS = /^(?!SELECT|INSERT|UPDATE|DELETE)|^INSERT INTO events \([^)]+\) SELECT .* FROM 1 = 1/;

it.each(DATABASES)('every statement is one that %s takes', async (on) => {
  const server = await TestServer.start({ on });
  try {
    const source = server.get(DataSource);
    const database = server.get(Database);
    const statements = await loadStatements(database.kind);
    const whole = [...statements].filter(([, sql]) => !PARTS.test(sql));
    expect(whole.length).toBeGreaterThan(60);
    for (const [name, sql] of whole) {
      const prepared =
        on === 'SQLite'
          ? Promise.resolve().then(() => database.query(sql))
          : source.query(`PREPARE ${name} FROM ?`, [sql]);
      await expect(prepared.then(() => name)).resolves.toBe(name);
    }
  } finally {
    await server.stop();
  }
});
