import { AuditVerifier } from '../../src/audit/chain/audit-verifier.js';
import { AdminClient } from '../support/admin-client.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES, EVERY_DATABASE } from '../support/databases.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { refusingRows } from '../support/refused-rows.js';
import { TestServer } from '../support/test-server.js';
import { occasionIn } from '../support/page-forms.js';

const USERS = 90;

describe.each(DATABASES)('a bulk change that fails half-way, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  /** The user in the middle, as a trigger sees the user's name. */
  const MIDDLE = "HEX(OLD.username) = HEX('u-45')";
  const OF_MIDDLE = `EXISTS (SELECT 1 FROM users u WHERE u.id = OLD.user_id AND HEX(u.username) = HEX('u-45'))`;
  const NOTED = "HEX(NEW.target) = HEX('u-45')";

  let opened = 0;

  it.each([
    ['deluser', 'user.delete', 'DELETE ON users', MIDDLE],
    ['disableall', 'user.disable', 'UPDATE ON credentials', OF_MIDDLE],
    ['deluser', 'user.delete', 'INSERT ON audit', NOTED],
    ['disableall', 'user.disable', 'INSERT ON audit', NOTED],
  ])(
    'leaves by %s audit rows %s only of the changed users if %s fails',
    async (type, action, when, row) => {
      const here = await open();
      const change = () => here.admin.managePost({ type, filter: '*', confirm: 'all' });
      expect(await during(when, row, change)).toMatchObject({ status: 500 });
      const changed = await expectRowsFit(here, action);
      expect(changed.length).toBeGreaterThan(0);
      expect(await change()).toMatchObject({
        status: 200,
        body: { users: USERS - changed.length },
      });
      expect(await here.noted(action)).toEqual(here.names);
    },
  );

  it('leaves audit rows only of the deleted users of a list', async () => {
    const here = await open();
    const users = here.names;
    const change = () => here.admin.post('/userapi/deletelistusers', { users });
    expect(await during('DELETE ON users', MIDDLE, change)).toMatchObject({ status: 500 });
    expect((await expectRowsFit(here, 'user.delete')).length).toBeGreaterThan(0);
    expect(await change()).toMatchObject({ status: 200 });
    expect(await here.noted('user.delete')).toEqual(here.names);
  });

  it('renames no user if the audit row cannot be stored', async () => {
    const here = await open();
    const rename = () => here.rename('u-45', 'renamed');
    expect(await during('INSERT ON audit', NOTED, rename)).toMatchObject({ status: 500 });
    expect(await here.noted('user.rename')).toEqual([]);
    expect(await rename()).toMatchObject({ status: 200, body: { username: 'renamed' } });
    expect(await here.noted('user.rename')).toEqual(['u-45']);
    expect(await here.verdict()).toBeUndefined();
  });

  it('leaves audit rows only of the changed users of a page', async () => {
    const here = await open();
    const user = here.names.map((name) => `${here.domain}/${name}`);
    const change = () => sendForm(server, '/userapi/bulk', { action: 'disable-all', user });
    const failed = await during('UPDATE ON credentials', OF_MIDDLE, change);
    expect(failed).toMatchObject({ status: 500 });
    expect((await expectRowsFit(here, 'user.disable')).length).toBeGreaterThan(0);
  });

  it('leaves audit rows only of the restored users of an undo', async () => {
    const here = await open();
    const user = here.names.slice(40, 50).map((name) => `${here.domain}/${name}`);
    const deletion = { action: 'delete-user', confirm: '10', user };
    const { text } = await sendForm(server, '/userapi/bulk', deletion);
    const occasion = occasionIn(text);
    const again = `HEX(NEW.username) = HEX('u-45')`;
    const undo = () => sendForm(server, '/userapi/undo', { occasion });
    await during('INSERT ON users', again, undo);
    expect(await here.changed()).toContain('u-45');
    const back = here.names.slice(40, 50).filter((name) => name !== 'u-45');
    const unchanged = new Set(await here.unchanged());
    expect(await here.noted('deletion.undo')).toEqual(back.filter((name) => unchanged.has(name)));
    expect(await here.verdict()).toBeUndefined();
  });

  /** A change whose statement fails as soon as it reaches one user. */
  function during(when: string, row: string, change: () => Promise<unknown>) {
    return refusingRows(server, { when, row }, change);
  }

  async function expectRowsFit(here: Outcomes, action: string) {
    const changed = await here.changed();
    expect(await here.noted(action)).toEqual(changed);
    expect(changed).not.toContain('u-45');
    expect(await here.verdict()).toBeUndefined();
    return changed;
  }

  function open() {
    return Outcomes.open(server, `place-${(opened += 1)}`);
  }
});

describe.each(EVERY_DATABASE.filter((name) => name !== 'SQLite'))(
  'a bulk change whose commit result is lost, on %s',
  (on) => {
    it.each(['lose-answer', 'lose-question'] as const)(
      '%s: leaves one row for each user',
      async (fault) => {
        const database = await createServerDatabase(on);
        const proxy = await FaultyProxy.before(database.url);
        const url = proxy.urlOf(database.url);
        const server = await TestServer.start({ database: { ...database, url } });
        try {
          const here = await Outcomes.open(server, 'lost');
          const before = proxy.struck;
          proxy.arm('COMMIT', fault);
          const change = { type: 'disableall', filter: '*', confirm: 'all' };
          expect(await here.admin.managePost(change)).toMatchObject({
            status: 200,
            body: { users: USERS, credentials: 2 * USERS },
          });
          expect(proxy.struck).toBe(before + 1);
          expect(await here.noted('user.disable')).toEqual(here.names);
          proxy.arm('COMMIT', fault);
          const renamed = await here.rename('u-45', 'renamed');
          expect(renamed).toMatchObject({ status: 200, body: { username: 'renamed' } });
          expect(proxy.struck).toBe(before + 2);
          expect(await here.noted('user.rename')).toEqual(['u-45']);
          expect(await here.verdict()).toBeUndefined();
        } finally {
          await server.stop();
          await proxy.close();
          await database.remove();
        }
      },
    );
  },
);

/** The changed users, and the users with an audit row about the change. */
class Outcomes {
  readonly admin: AdminClient;
  readonly domain: string;

  private constructor(
    readonly server: TestServer,
    name: string,
  ) {
    this.domain = `${name}.example`;
    this.admin = new AdminClient(server.url, this.domain);
  }

  /** Opens a relying party with users `u-00`, `u-01`, … */
  static async open(server: TestServer, name: string): Promise<Outcomes> {
    const here = new Outcomes(server, name);
    await server.addRelyingParty('acme', { domain: here.domain });
    const allUsers = here.names.map((username) => ({ username, devices: ['one', 'two'] }));
    await settle(server, relyingPartyOf(server, here.domain), allUsers);
    return here;
  }

  readonly names = Array.from({ length: USERS }, (_, n) => `u-${String(n).padStart(2, '0')}`);

  /** Users with at least one enabled key. */
  async unchanged(): Promise<string[]> {
    const rows = await rowsOf<{ username: Buffer }>(
      this.server,
      `SELECT DISTINCT u.username FROM users u JOIN credentials c ON c.user_id = u.id
         JOIN relying_parties r ON r.id = u.relying_party_id WHERE r.domain = ? AND c.enabled = 1`,
      this.domain,
    );
    return rows.map(({ username }) => username.toString()).sort();
  }

  async changed(): Promise<string[]> {
    const unchanged = new Set(await this.unchanged());
    return this.names.filter((name) => !unchanged.has(name));
  }

  /** Users with a row, each as often as there are rows. */
  async noted(action: string): Promise<string[]> {
    const rows = await rowsOf<{ target: Buffer }>(
      this.server,
      "SELECT target FROM audit WHERE action = ? AND relying_party = ? AND result = 'ok'",
      action,
      Buffer.from(this.domain),
    );
    return rows.map(({ target }) => target.toString()).sort();
  }

  rename(username: string, newUsername: string) {
    return this.admin.patch('/userapi/users', { username, newUsername });
  }

  async verdict() {
    return (await this.server.get(AuditVerifier).verify()).fault;
  }
}
