import { randomBytes } from 'node:crypto';
import { AdminClient } from '../support/admin-client.js';
import { connectionsEnded } from '../support/connections-ended.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { IS_HARNESS, report } from '../support/harness.js';
import { readCount, readRows } from '../support/read-rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';
import { slowRows } from '../support/slow-rows.js';
import { foreignKey, jsonLinesOf, postImport } from '../support/transfer.js';

/** `npm run long -- crash` imports more of them. */
const CROWD = IS_HARNESS ? 30_000 : 2000;

const RP_ID = 'localhost';

/** Users with a key each; they share the public key, which is slow to make. */
function exportOfMany(): string {
  const base64url = () => randomBytes(32).toString('base64url');
  const { publicKey } = foreignKey({ rpId: RP_ID, handle: randomBytes(32) });
  const key = { publicKey: publicKey.toString('base64url'), signCount: 0, backupEligible: false };
  const users = Array.from({ length: CROWD }, (_, n) => ({
    type: 'user',
    username: `mover-${n}`,
    userHandle: base64url(),
    keys: [{ credentialId: base64url(), ...key }],
  }));
  return jsonLinesOf([
    { type: 'header', format: 'servicefido-users', version: 1, relyingParty: RP_ID },
    ...users,
    { type: 'end', users: CROWD, keys: CROWD },
  ]);
}

describe.each(DATABASES)('kill -9 in the middle of an import on %s', (on) => {
  it('loses no user, has an audit row for each, and the same file then stores the others once', async () => {
    const file = exportOfMany();
    const database = await createServerDatabase(on);
    const server = new ServerProcess(['--db', database.url, '--log-level', 'warn']);
    const count = (from: string) => readCount(database.url, from);
    const importAll = () => postImport(new AdminClient(server.url, RP_ID), file);
    try {
      await server.start();
      const endSlowness = await slowRows(database.url, 'INSERT ON users');
      const cut = importAll().catch(() => undefined);
      await eventually(async () => expect(await count('users')).toBeGreaterThan(CROWD / 10));
      await server.end('SIGKILL');
      await cut;
      await connectionsEnded(database.url);
      await endSlowness();
      const present = await count('users');
      expect(present).toBeLessThan(CROWD);
      const parts = await readRows<{ detail: string }>(
        database.url,
        "SELECT detail FROM audit WHERE action = 'users.import.part'",
      );
      const audited = parts.map(({ detail }) => (JSON.parse(detail) as { users: number }).users);
      expect(audited.reduce((sum, users) => sum + users, 0)).toBe(present);
      await server.start();
      const created = CROWD - present;
      expect((await importAll()).body).toMatchObject({
        users: { present, created },
        keys: { present, created },
        refusals: [],
      });
      expect(await count('users')).toBe(CROWD);
      expect(await count('credentials')).toBe(CROWD);
      expect(await count("events WHERE kind IN ('user-created', 'imported')")).toBe(2 * CROWD);
      report({ kills: 1, imported: CROWD });
    } finally {
      await server.remove();
      await database.remove();
    }
  });
});
