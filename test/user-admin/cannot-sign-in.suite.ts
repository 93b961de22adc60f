import { jest } from '@jest/globals';
import { mapKey } from '../../src/platform/database/row-ids.js';
import { withoutTurns } from '../../src/platform/common/turns/read-turns.js';
import { Database } from '../../src/platform/database/database.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { Inventory } from '../../src/users/credentials/inventory.js';
import { UserList } from '../../src/users/list/user-list.js';
import type { WalkPage, WalkPlace } from '../../src/users/list/walk.js';
import { Pattern } from '../../src/users/search/pattern.js';
import { UNABLE_USERS } from '../../src/users/user.statements.js';
import { AdminClient } from '../support/admin-client.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { linkUsers } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';
const SET_KEYS = 'UPDATE credentials SET';
const OF = 'WHERE user_id IN (SELECT id FROM users WHERE username = ?)';

describe.each(DATABASES)('users who cannot sign in, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  const users = new Map<string, FidoClient>();
  beforeAll(async () => {
    server = await TestServer.start({ on });
    // It evaluates keys some seconds after the start, and would end the finding that the test stores itself.
    await server.get(FindingsJob).onModuleDestroy();
    admin = adminClient(server.url);
    const origin = `https://${NEW}`;
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [origin] });
    await server.addRelyingParty('acme', { domain: NEW });
    for (const name of ['able', 'disabled', 'none', 'refused', 'some', 'suspended']) {
      const client = new FidoClient(server.url);
      expect((await client.register(name)).status).toBe(200);
      users.set(name, client);
    }
    await new FidoClient(server.url).register('some', { keypair: { name: 'Lost' } });
    const manage = new AdminClient(server.url, 'localhost');
    await manage.manage({ type: 'disableall', filter: 'disabled' });
    await manage.manage({ type: 'deldevice', filter: 'none', device: '*' });
    await manage.manage({ type: 'disabledevice', filter: 'some', device: 'Lost' });
    await change(`${SET_KEYS} refused_with = 'E0038R' ${OF}`, 'refused');
    const suspension = { username: 'suspended', suspended: true, relyingParty: 'localhost' };
    expect((await admin.post('/userapi/users/suspension', suspension)).status).toBe(200);
  });
  afterAll(() => server.stop());

  const change = (sql: string, name: string) => rowsOf(server, sql, Buffer.from(name));
  const page = async (path: string) => (await admin.get(path, HTML)).text;

  it('users who cannot sign in are exactly those whose sign-ins are refused', async () => {
    const refused: string[] = [];
    for (const [name, client] of users) {
      const begun = await client.beginAuthentication(name);
      const isIn = begun.status === 200 && (await client.signIn(name)).status === 200;
      if (!isIn) refused.push(name);
    }
    expect(await listed('signIn=no')).toEqual(refused.sort());
    expect(refused).toEqual(['disabled', 'none', 'refused', 'suspended']);
    expect(await counted('localhost')).toBe(refused.length);
  });

  it('users who cannot sign in are found together with other conditions, words and orders', async () => {
    expect(await listed('signIn=no&state=disabled')).toEqual(['disabled']);
    expect(await listed('signIn=no&suspended=yes')).toEqual(['suspended']);
    expect(await listed('signIn=no&filter=ref')).toEqual(['refused']);
    expect(await listed('signIn=no&filter=abl')).toEqual([]);
    expect(await listed('signIn=no&sort=-name')).toHaveLength(4);
    expect((await admin.get('/userapi?signIn=yes', HTML)).status).toBe(400);
    // A page ends early where the database takes its time.
    const list = await eventually(async () => {
      const text = await page('/userapi?rp=localhost&signIn=no');
      expect(text).toContain('4 users');
      return text;
    });
    expect(list).toMatch(/<a href="[^"]*signIn&#x3D;no[^"]*" aria-current="true">Cannot sign in/);
  });

  it('are listed in pages of any size, each once, with the suspended ones first', async () => {
    const rp = relyingPartyOf(server, 'localhost');
    const names = new Set<string>();
    let from: WalkPlace | undefined;
    do {
      const request = { name: new Pattern('*'), filter: { cannotSignIn: true } };
      const span = { limit: 1, from, turn: withoutTurns };
      const page: WalkPage = await server.get(UserList).page([rp], request, span);
      for (const { username } of page.users) {
        expect(names).not.toContain(username);
        names.add(username);
      }
      from = page.next;
    } while (from);
    expect([...names][0]).toBe('suspended');
    expect([...names].sort()).toEqual(['disabled', 'none', 'refused', 'suspended']);
  });

  it('are sorted on a page without a walk past all other users', async () => {
    const database = server.get(Database);
    const read = async (sort: string) => {
      const query = jest.spyOn(database, 'query');
      const text = await eventually(async () => {
        query.mockClear();
        const shown = await page(`/userapi?rp=localhost&signIn=no&sort=${sort}`);
        expect(shown).toContain('4 users');
        return shown;
      });
      const statements = query.mock.calls.map(([statement]) => statement);
      query.mockRestore();
      expect(statements).toContain(UNABLE_USERS[database.kind]);
      return [...text.matchAll(/name="user" value="localhost\/(\w+)"/g)].map(([, name]) => name);
    };
    expect(await read('name')).toEqual(['disabled', 'none', 'refused', 'suspended']);
    expect(await read('-name')).toEqual(['suspended', 'refused', 'none', 'disabled']);
    expect(await read('-created')).toHaveLength(4);
  });

  it('have a notice on their pages that says what helps', async () => {
    const of = (name: string) => page(`/userapi/user?rp=localhost&name=${name}`);
    for (const name of ['disabled', 'none', 'refused']) {
      const text = await of(name);
      expect(text).toContain('<strong>No key can sign in.</strong>');
      expect(text).toContain('<a href="#invitations">Invite the user to register one</a>');
    }
    expect(await of('suspended')).not.toContain('No key can sign in');
    const able = await of('able');
    expect(able).toMatch(/Can sign in<\/span><span>with +<bdi>[^<]+<\/bdi><\/span>/);
    expect(able).not.toContain('No key can sign in');
  });

  it('are announced where a last key is disabled or deleted', async () => {
    const saysLast = async (name: string) =>
      (await page(`/userapi/user?rp=localhost&name=${name}`)).match(/last key that can sign in/g)
        ?.length ?? 0;
    expect(await saysLast('able')).toBe(2);
    expect(await saysLast('some')).toBe(2);
    expect(await saysLast('disabled')).toBe(0);
  });

  it('do not include users of a move who may use a key of the predecessor', async () => {
    const old = new FidoClient(server.url, { relyingParty: OLD });
    await old.register('mover');
    const arrived = new FidoClient(server.url, { relyingParty: NEW });
    await arrived.register('mover');
    const places = [relyingPartyOf(server, OLD), relyingPartyOf(server, NEW)] as const;
    await rowsOf(server, 'DELETE FROM credentials WHERE relying_party_id = ?', places[1].id);
    expect(await counted(NEW)).toBe(1);
    await linkUsers(server, places, 'mover');
    expect(await counted(NEW)).toBe(1);
    const tenancy = server.get(TenancyService);
    const policy = { registration: 'ticket' } as const;
    await tenancy.changeRelyingParty(server.call, 'acme', OLD, { policy });
    await tenancy.changeRelyingParty(server.call, 'acme', NEW, { predecessor: OLD });
    expect(await counted(NEW)).toBe(0);
    await rowsOf(server, `${SET_KEYS} enabled = 0 WHERE relying_party_id = ?`, places[0].id);
    expect(await counted(NEW)).toBe(1);
  });

  async function listed(query: string) {
    const { text } = await admin.get(`/userapi/users.csv?rp=localhost&${query}`);
    const [, ...rows] = text.trim().split('\r\n');
    return rows.map((row) => row.split(',')[0]?.replaceAll('"', '')).sort();
  }

  async function counted(domain: string) {
    const id = mapKey(relyingPartyOf(server, domain).id);
    const counts = await server.get(Inventory).usersWhoCannotSignIn();
    return counts.find(({ relyingParty }) => relyingParty === id)?.users;
  }
});
