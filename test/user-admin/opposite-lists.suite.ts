import { AuditVerifier } from '../../src/audit/chain/audit-verifier.js';
import type { Step } from '../../src/platform/database/commit/unit.js';
import { Database } from '../../src/platform/database/database.js';
import { AdminClient } from '../support/admin-client.js';
import type { Answer } from '../support/client.js';
import type { TestDatabase } from '../support/databases.js';
import { describeWith } from '../support/needs.js';
import { settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const USERS = 150;
const UNITS = 50;
const ROUNDS = 4;

describeWith('MariaDB')('two instances that change the same users in opposite order', () => {
  let database: TestDatabase;
  let servers: TestServer[];
  beforeAll(async () => {
    database = await createServerDatabase('MariaDB');
    const options = { sessions: `memory:`, rateUser: 1e9, rateAddress: 1e9 };
    servers = [
      await TestServer.start({ database, options }),
      await TestServer.start({ database, options }),
    ];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.remove();
  });

  const server = () => servers[0] as TestServer;
  const [one, two] = [0, 1].map(
    (n) => (path: string, body: object) =>
      new AdminClient((servers[n] as TestServer).url, 'localhost').post(path, body),
  ) as [AdminClient['post'], AdminClient['post']];

  it('the deletion of two lists in opposite order deletes each user once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const names = await addUsers(round);
      const answers = await Promise.all([
        one('/userapi/deletelistusers', { users: names }),
        two('/userapi/deletelistusers', { users: names.toReversed() }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(sumOf(answers, 'deleted')).toBe(USERS);
      expect(await noted('user.delete', round)).toEqual([...names].sort());
      expect(await countOf(server(), `users WHERE username LIKE 'round-${round}-%'`)).toBe(0);
    }
    expect((await server().get(AuditVerifier).verify()).fault).toBeUndefined();
  });

  it('the database stores each of two units that lock two rows in opposite order', async () => {
    const users = await addUsers(ROUNDS);
    const [a, b] = users.slice(0, 2).map((name): Step => ({
      sql: "UPDATE users SET display_name = CONCAT(display_name, '+') WHERE username = ?",
      params: [Buffer.from(name)],
      mustChange: true,
    })) as [Step, Step];
    for (let n = 0; n < UNITS; n += 1) {
      const units = [[a, b] as const, [b, a] as const];
      const stored = units.map((unit, at) =>
        (servers[at] as TestServer).get(Database).commit(unit),
      );
      expect(await Promise.all(stored)).toEqual([true, true]);
    }
    const like = `users WHERE display_name LIKE '%${'+'.repeat(2 * UNITS)}'`;
    expect(await countOf(server(), like)).toBe(2);
  });

  async function addUsers(round: number) {
    const names = Array.from({ length: USERS }, (_, n) => `round-${round}-${n}`);
    const allUsers = names.map((username) => ({ username, devices: ['one', 'two'] }));
    await settle(server(), relyingPartyOf(server(), 'localhost'), allUsers);
    return names;
  }

  function sumOf(answers: readonly Answer[], member: string) {
    return answers.reduce((sum, { body }) => sum + Number(body[member]), 0);
  }

  async function noted(action: string, round: number) {
    const rows = await rowsOf<{ target: Buffer }>(
      server(),
      "SELECT target FROM audit WHERE action = ? AND result = 'ok' AND target LIKE ?",
      action,
      Buffer.from(`round-${round}-%`),
    );
    return rows.map(({ target }) => target.toString()).sort();
  }
});
