import { jest } from '@jest/globals';
import { ListWalk } from '../../src/user-admin/lists/list-walk.js';
import { BrowserClient } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { LISTED_KEYS } from '../support/list-upload.js';
import { settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

describe.each(DATABASES)('the keys of all matches of a search on %s', (on) => {
  let server: TestServer;
  let opened = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  /** Users at a new relying party, with two keys each, and the list of those whose names begin with `c-`. */
  const matches = async (change: string, size: number) => {
    const crowd = Array.from({ length: size }, (_, n) => ({
      username: `c-${n}`,
      devices: ['one', 'two'],
    }));
    opened += 1;
    const domain = `place-${opened}.example`;
    await server.addRelyingParty('places', { domain });
    const rp = relyingPartyOf(server, domain);
    await settle(server, rp, [...crowd, { username: 'other' }]);
    const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    await browser.open('/userapi');
    const { text } = await browser.submit(
      `${LISTED_KEYS}/matches?rp=${domain}&filter=c-*&change=${change}`,
      {},
    );
    const [, id = ''] = /changelistkeys\/([\w-]{22})\/start/.exec(text) ?? [];
    const path = `${LISTED_KEYS}/${id}`;
    const enabled = () =>
      countOf(server, 'credentials WHERE relying_party_id = ? AND enabled = 1', rp.id);
    const page = async () => (await browser.open(`${LISTED_KEYS}?upload=${id}`)).text;
    const shows = (heading: string) =>
      eventually(async () => expect(await page()).toContain(`<h1>${heading}</h1>`));
    const send = (form: string, fields: Record<string, string> = {}) =>
      browser.submit(`${path}/${form}`, fields);
    return { rp, id, preview: text, enabled, page, shows, send };
  };
  const noted = (id: string, action: string) =>
    countOf(server, 'audit WHERE target = ? AND action = ?', Buffer.from(id), action);

  it('shows the matches of a search before it disables their keys, and disables no others', async () => {
    const { id, preview, enabled, shows, send } = await matches('disable', 260);
    expect(preview).toContain('Disable the keys of 260 users?');
    expect(await enabled()).toBe(521);
    await send('start', { change: 'disable', reason: 'lost laptops' });
    await shows('Keys disabled');
    expect(await enabled()).toBe(1);
    expect(await noted(id, 'users.change-list')).toBe(1);
    const rows = await rowsOf<{ target: Buffer }>(
      server,
      "SELECT target FROM audit WHERE action = 'user.disable' AND detail LIKE ?",
      `%${id}%`,
    );
    expect(new Set(rows.map(({ target }) => target.toString())).size).toBe(260);
  });

  it('undoes the disabling of all matches, except of keys that were disabled before', async () => {
    const { rp, enabled, page, shows, send } = await matches('disable', 3);
    await rowsOf(
      server,
      `UPDATE credentials SET enabled = 0, disabled_by = '{"account":"admin"}'
      WHERE relying_party_id = ? AND device_name = 'two' AND user_id IN
        (SELECT id FROM users WHERE username = ?)`,
      rp.id,
      Buffer.from('c-1'),
    );
    expect(await enabled()).toBe(6);
    await send('start', { change: 'disable' });
    await shows('Keys disabled');
    expect(await enabled()).toBe(1);
    expect(await page()).toContain('5');
    await send('start', { change: 'undo' });
    await shows('Disabling undone');
    expect(await enabled()).toBe(6);
  });

  it('enables the keys of all matches, which has no undo', async () => {
    const { enabled, page, shows, send } = await matches('enable', 3);
    await rowsOf(server, `UPDATE credentials SET enabled = 0, disabled_by = '{}'`);
    await send('start', { change: 'enable' });
    await shows('Keys enabled');
    expect(await enabled()).toBe(6);
    expect(await page()).not.toContain('value="undo"');
    await send('start', { change: 'undo' });
    await shows('Keys enabled');
    expect(await enabled()).toBe(6);
  });

  it('stops the disabling of all matches midway, and goes on after the last user', async () => {
    const { id, enabled, page, shows, send } = await matches('disable', 450);
    const walk = server.get(ListWalk);
    const change = walk.changeUsers.bind(walk);
    let changed = 0;
    const stopping = jest.spyOn(walk, 'changeUsers').mockImplementation(async (...row) => {
      changed += 1;
      if (changed === 250) await send('stop');
      return change(...row);
    });
    await send('start', { change: 'disable' });
    await shows('Disabling stopped');
    stopping.mockRestore();
    await eventually(async () => expect(await page()).toContain('Go on'));
    const left = await enabled();
    expect(left).toBeGreaterThan(1);
    await send('resume');
    await shows('Keys disabled');
    expect(await enabled()).toBe(1);
    expect(await page()).toMatch(/Users changed<\/dt><dd>450</);
    expect(await noted(id, 'users.change-list.stop')).toBe(1);
  });

  it('leaves no audit row when a change is stopped or resumed that has ended', async () => {
    const { id, shows, send } = await matches('disable', 1);
    await send('start', { change: 'disable' });
    await shows('Keys disabled');
    await send('stop');
    await send('resume');
    expect(await noted(id, 'users.change-list.stop')).toBe(0);
    expect(await noted(id, 'users.change-list')).toBe(1);
  });

  it('starts one change of a list when the button is clicked twice', async () => {
    const { id, shows, send } = await matches('disable', 30);
    await Promise.all([send('start', { change: 'disable' }), send('start', { change: 'disable' })]);
    await shows('Keys disabled');
    await send('start', { change: 'undo' });
    await shows('Disabling undone');
    await send('start', { change: 'undo' });
    expect(await noted(id, 'users.change-list')).toBeLessThanOrEqual(3);
  });
});
