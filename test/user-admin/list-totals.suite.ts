import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

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
    const marks = disabled.map(() => '?').join();
    await rowsOf(
      server,
      `UPDATE credentials SET enabled = 0 WHERE user_id IN
        (SELECT id FROM users WHERE username IN (${marks}))`,
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
