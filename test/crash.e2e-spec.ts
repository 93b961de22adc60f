import BetterSqlite3 from 'better-sqlite3';
import { DATABASES, createDatabase } from './support/databases.js';
import { eventually } from './support/eventually.js';
import { FidoClient } from './support/fido-client.js';
import { ServerProcess } from './support/server-process.js';

const CLIENTS = 8;
const LOOKS_PER_CRASH = 40;

interface Acknowledged {
  readonly username: string;
  readonly client: FidoClient;
}

/** Registers users one after another until the server is gone; notes what was acknowledged. */
async function registerUntilCrash(url: string, name: string, journal: Acknowledged[]) {
  for (let n = 0; ; n += 1) {
    const username = `${name}-${n}`;
    const client = new FidoClient(url, { origin: 'http://localhost' });
    try {
      const { status } = await client.register(username);
      if (status !== 200) return;
    } catch {
      return;
    }
    journal.push({ username, client });
  }
}

describe.each(DATABASES)('kill -9 under load on %s', (on) => {
  const crashes = on === 'SQLite' ? 4 : 1;

  it('loses no acknowledged registration', async () => {
    const database = await createDatabase(on);
    const server = new ServerProcess(['--db', database.url, '--log-level', 'warn']);
    const journal: Acknowledged[] = [];
    try {
      await server.start();
      for (let crash = 0; crash < crashes; crash += 1) {
        const known = journal.length;
        const enough = known + 20 + Math.floor(Math.random() * 200);
        const load = Array.from({ length: CLIENTS }, (_, n) =>
          registerUntilCrash(server.url, `crash-${crash}-${n}`, journal),
        );
        await eventually(() => expect(journal.length).toBeGreaterThanOrEqual(enough), 20_000);
        await server.end('SIGKILL');
        await Promise.all(load);
        await server.start();
        // The last ones are the ones in danger; some older ones besides.
        const fresh = journal.slice(known);
        const looked = [...fresh.slice(-LOOKS_PER_CRASH), ...journal.slice(0, 5)];
        for (const entry of looked) {
          const { authenticator } = entry.client;
          const again = new FidoClient(server.url, { authenticator });
          expect((await again.signIn(entry.username)).status).toBe(200);
        }
        for (const { username } of fresh) {
          const begun = await new FidoClient(server.url).beginAuthentication(username);
          expect(begun.status).toBe(200);
        }
      }
      expect(await server.end('SIGTERM')).toBe(0);
      if (on === 'SQLite') expectIntegrity(database.url.slice('sqlite:'.length));
    } finally {
      await server.remove();
      await database.remove();
    }
  }, 90_000);
});

function expectIntegrity(file: string): void {
  const connection = new BetterSqlite3(file, { readonly: true });
  expect(connection.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(connection.pragma('foreign_key_check')).toEqual([]);
  connection.close();
}
