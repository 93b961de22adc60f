import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { aaguidText } from '../../src/webauthn/aaguid.js';

const marksOf = (n: number) => Array.from({ length: n }, () => '?').join();

/** More users than a filter counts. */
const MANY = 10_100;

describe.each(DATABASES)('the totals of lists on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    const rp = relyingPartyOf(server, 'localhost');
    const users = Array.from({ length: MANY }, (_, n) => ({ username: `u-${n}` }));
    await settle(server, rp, users);
    const disabled = users.slice(0, 2_395).map(({ username }) => Buffer.from(username));
    await rowsOf(
      server,
      `UPDATE credentials SET enabled = 0 WHERE user_id IN
        (SELECT id FROM users WHERE username IN (${marksOf(disabled.length)}))`,
      ...disabled,
    );
  });
  afterAll(() => server.stop());

  const pageOf = async (path: string) =>
    (await new AdminClient(server.url).get(path, { accept: 'text/html' })).text;
  const headingOf = async (path: string) =>
    /id="count">([^<]*)</.exec(await pageOf(path))?.[1]?.trim();
  const shows = (path: string, heading: string) =>
    eventually(async () => expect(await headingOf(path)).toBe(heading));

  it('shows how many users match a filter, on each page and in each order', async () => {
    await shows('/userapi?state=disabled', '2,395 users');
    await shows('/userapi?signIn=no', '2,395 users');
    await shows('/userapi?signIn=no&sort=-created', '2,395 users');
    // The number is absent if counting takes longer than the page waits.
    const text = await eventually(async () => {
      const page = await pageOf('/userapi?state=disabled');
      expect(page).toContain('Disable all 2,395 matches…');
      return page;
    });
    const [, next = ''] = /href="([^"]+)" rel="next"/.exec(text) ?? [];
    await shows(next.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&'), '2,395 users');
  });

  it('shows 2,000 users as all of them in an order that is made in memory', async () => {
    const statement = `UPDATE users SET suspended_by = 1 WHERE username IN (${marksOf(2_000)})`;
    const names = Array.from({ length: 2_000 }, (_, n) => Buffer.from(`u-${n}`));
    await rowsOf(server, statement, ...names);
    await shows('/userapi?suspended=yes&sort=-created', '2,000 users');
  });

  it('links no further page after exactly one page of users', async () => {
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    const rp = relyingPartyOf(server, 'acme.example');
    const model = Buffer.alloc(16, 7);
    const usersFrom = async (first: number, n: number) => {
      const users = Array.from({ length: n }, (_, at) => ({ username: `v-${first + at}`, model }));
      await settle(server, rp, users);
      const ofParty = 'WHERE relying_party_id = ?';
      await rowsOf(server, `UPDATE credentials SET enabled = 0 ${ofParty}`, rp.id);
      await rowsOf(
        server,
        `INSERT INTO user_groups (tenant_id, relying_party_id, user_id, name)
          SELECT tenant_id, relying_party_id, id, ? FROM users u ${ofParty} AND NOT EXISTS
            (SELECT 1 FROM user_groups g WHERE g.user_id = u.id)`,
        Buffer.from('choir'),
        rp.id,
      );
    };
    const suspend = (sides: number) =>
      rowsOf(
        server,
        `UPDATE users SET suspended_by = ${sides || 'NULL'} WHERE relying_party_id = ?`,
        rp.id,
      );
    const ofModel = `model=${aaguidText(model)}`;
    const views = ['signIn=no', 'state=disabled', 'group=choir', ofModel, 'used=never'];
    const ofSuspended = ['suspended=yes', 'signIn=no', 'used=never&sort=-name'];
    const linked = async (names: readonly string[]) => {
      const texts = names.map(async (view) => ({
        view,
        text: await pageOf(`/userapi?rp=acme.example&${view}`),
      }));
      const pages = await Promise.all(texts);
      return pages.filter(({ text }) => text.includes('rel="next"')).map(({ view }) => view);
    };
    await usersFrom(0, 50);
    expect(await linked(views)).toEqual([]);
    await suspend(1);
    expect(await linked(ofSuspended)).toEqual([]);
    await usersFrom(50, 1);
    expect(await linked(views)).toEqual(views);
    await suspend(2);
    expect(await linked(ofSuspended)).toEqual(ofSuspended);
  });

  it('shows that at least 10,000 users match a filter without counting them all', async () => {
    await shows('/userapi?used=never', 'At least 10,000 users');
  });

  it('shows how many rows of the audit trail match a search', async () => {
    const rows = Array.from({ length: 120 }, () =>
      new AdminClient(server.url, 'localhost').get('/userapi/manageusers?type=disableall&filter=0'),
    );
    await Promise.all(rows);
    await shows('/userapi/audit?action=user.disable', '120 rows');
  });
});
