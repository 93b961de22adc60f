import { AdoptionDays } from '../../src/adoption/curve/adoption-days.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { HTML } from '../support/client.js';
import { occasionIn } from '../support/page-forms.js';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const DOMAINS = ['one.example', 'two.example'] as const;

/** What a day stores must equal the tables on that day, whatever happens to users and keys afterwards. */
describe.each(DATABASES)('the curve of adoption, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    for (const domain of DOMAINS) await server.addRelyingParty('acme', { domain });
  });
  afterAll(() => server.stop());

  const adminOf = (domain: string) => new AdminClient(server.url, domain);

  it('shows the users and keys of each day, also those that were deleted, restored or replaced since', async () => {
    const weeks = [];
    const anna = await register('one.example', 'anna');
    await register('one.example', 'ben');
    await register('one.example', 'carl');
    await register('two.example', 'anna');
    weeks.push(await endWeek());

    const key = anna.keyId;
    const ofAnna = { name: 'anna', rp: 'one.example' };
    expect((await post('/userapi/user', { action: 'delete-key', key, ...ofAnna })).status).toBe(
      303,
    );
    const ben = { action: 'delete-user', confirm: '1', user: 'one.example/ben' };
    const { text } = await post('/userapi/bulk', ben);
    await adminOf('one.example').manage({ type: 'disableall', filter: 'carl' });
    await register('two.example', 'dora');
    weeks.push(await endWeek());

    const occasion = occasionIn(text);
    await post('/userapi/undo', { occasion });
    await register('one.example', 'anna');
    await adminOf('two.example').manage({ type: 'deluser', filter: 'anna' });
    weeks.push(await endWeek());
    await adminOf('one.example').manage({ type: 'deluser', filter: 'carl' });

    for (const [n, domain] of DOMAINS.entries()) {
      const past = weeks.map((week) => week[n]);
      const now = await inTables(domain);
      await eventually(async () => {
        const { body } = await adminOf(domain).get('/userapi/adoption');
        expect(body['curve']).toMatchObject([...past, now]);
        expect(body['knownSince']).toBe(past[0]?.day);
      });
      const changes = new Set(past.map((point) => `${point?.users} ${point?.withKey}`));
      expect(changes.size).toBeGreaterThan(1);
    }
  });

  it('keeps the last counts of a day, and those of 26 weeks', async () => {
    const { id } = relyingPartyOf(server, 'one.example');
    const days = () => countOf(server, 'adoption_days WHERE relying_party_id = ?', id);
    await server.get(AdoptionDays).store();
    const before = await days();
    await register('one.example', 'emil');
    await server.get(AdoptionDays).store();
    expect(await days()).toBe(before);
    const latest = await rowsOf(
      server,
      'SELECT users, with_key FROM adoption_days WHERE relying_party_id = ? ORDER BY day DESC LIMIT 1',
      id,
    );
    const { users, withKey } = await inTables('one.example');
    expect(latest).toEqual([{ users, with_key: withKey }]);
    server.clock.advance(26 * WEEK_MS);
    await server.get(AdoptionDays).store();
    expect(await days()).toBe(1);
  });

  it('says on the page since when it is known, and begins with today where nothing was counted', async () => {
    await server.addRelyingParty('acme', { domain: 'new.example' });
    await settle(server, relyingPartyOf(server, 'new.example'), [{ username: 'anna' }]);
    const { body } = await adminOf('new.example').get('/userapi/adoption');
    const today = server.clock.today();
    expect(body).toMatchObject({ knownSince: today, curve: [{ day: today }] });
    const text = await eventually(async () => {
      const page = await adminOf('new.example').get('/adoption?rp=new.example', HTML);
      expect(page.text).toContain('class="curve"');
      return page.text;
    });
    expect(text).toMatch(/Known since \d+ [A-Z][a-z]+ 20\d\d\./);
  });

  it('loses its days with the relying party', async () => {
    await server.addRelyingParty('acme', { domain: 'gone.example' });
    const { id } = relyingPartyOf(server, 'gone.example');
    await server.get(AdoptionDays).store();
    const rows = () => countOf(server, 'adoption_days WHERE relying_party_id = ?', id);
    expect(await rows()).toBe(1);
    await rowsOf(server, 'DELETE FROM relying_parties WHERE id = ?', id);
    await server.get(AdoptionDays).store();
    expect(await rows()).toBe(0);
  });

  it('takes shares of the expected users, or of the stored ones if there are more', async () => {
    const domain = 'shares.example';
    await server.addRelyingParty('acme', { domain });
    const rp = relyingPartyOf(server, domain);
    await settle(server, rp, [{ username: 'anna' }, { username: 'ben' }]);
    await adminOf(domain).manage({ type: 'disableall', filter: 'ben' });
    const patch = (body: object) =>
      adminOf(domain).patch(`/userapi/adoption/targets/${domain}`, {
        share: 25,
        by: '2099-12-31',
        ...body,
      });
    const page = async () => (await adminOf(domain).get(`/adoption?rp=${domain}`, HTML)).text;
    const expected = async () => {
      const { body } = await adminOf(domain).get('/userapi/adoption');
      return (body['users'] as { expected: number }).expected;
    };
    await eventually(async () => expect(await page()).toContain('1 of 2<'));
    expect((await patch({ expectedUsers: 10 })).body).toMatchObject({
      target: { expectedUsers: 10 },
    });
    expect(await expected()).toBe(10);
    expect(await page()).toContain('1 of 10 expected users');
    expect(await page()).toContain('Not reached yet');
    expect(await page()).toMatch(/: 10% \(1\)<\/title>/);
    expect((await adminOf(domain).get('/adoption', HTML)).text).toContain('of 10 expected');

    expect((await patch({})).body).toMatchObject({ target: { expectedUsers: 10 } });
    expect((await patch({ expectedUsers: 1 })).status).toBe(200);
    expect(await expected()).toBe(2);
    expect(await page()).toContain('Reached');
    expect((await patch({ expectedUsers: null })).body).toMatchObject({
      target: { expectedUsers: null },
    });
    expect(await expected()).toBe(2);
  });

  it('E0045R: refuses a wrong number of expected users and keeps the target', async () => {
    const domain = 'wrong.example';
    await server.addRelyingParty('acme', { domain });
    const before = await rowsOf(server, 'SELECT * FROM adoption_targets');
    for (const expectedUsers of [0, -1, 1.5, 'many', 1_000_000_001]) {
      const { status, body } = await adminOf(domain).patch(`/userapi/adoption/targets/${domain}`, {
        share: 50,
        by: '2099-12-31',
        expectedUsers,
      });
      expect([status, body['errorCode']]).toEqual([400, 'E0045R']);
    }
    const fields = { rp: domain, share: '50', by: '2099-12-31', version: '"0"' };
    const form = await post('/adoption/target', { ...fields, expectedUsers: '0' });
    expect(form.status).toBe(400);
    expect(form.text).toContain('id="expectedUsers-error"');
    expect(await rowsOf(server, 'SELECT * FROM adoption_targets')).toEqual(before);
  });

  it('saves the expected users with the form, and shows them in the audit trail', async () => {
    const fields = { rp: 'two.example', share: '50', by: '2099-12-31', version: '"0"' };
    expect((await post('/adoption/target', { ...fields, expectedUsers: '4000' })).status).toBe(303);
    const { text } = await adminOf('two.example').get(
      '/userapi/audit?action=relying-party.change',
      HTML,
    );
    expect(text).toMatch(/50% of 4,000 users by/);
  });

  async function register(domain: string, name: string) {
    const client = new FidoClient(server.url, {
      relyingParty: domain,
    });
    expect((await client.register(name)).status).toBe(200);
    return client;
  }

  function post(path: string, fields: Record<string, string>) {
    return sendForm(server, path, fields, { headers: HTML });
  }

  /** Users, and users with an enabled key, as the tables have them. */
  async function inTables(domain: string) {
    const { id } = relyingPartyOf(server, domain);
    const withKey = await rowsOf(
      server,
      'SELECT DISTINCT user_id FROM credentials WHERE relying_party_id = ? AND enabled = 1',
      id,
    );
    const users = await countOf(server, 'users WHERE relying_party_id = ?', id);
    return { users, withKey: withKey.length };
  }

  /** Stores the counts of a day, and returns them as the tables have them; then a week passes. */
  async function endWeek() {
    await server.get(AdoptionDays).store();
    const counts = await Promise.all(DOMAINS.map(inTables));
    const day = server.clock.today();
    server.clock.advance(WEEK_MS);
    return counts.map((count) => ({ day, ...count }));
  }
});
