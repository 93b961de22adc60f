import { randomUUID } from 'node:crypto';
import { Database } from '../../src/platform/database/database.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { ledgerStep } from '../../src/events/ledger.js';
import { FormTokens } from '../../src/platform/access/form-token.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { linkOf } from '../support/links.js';
import { settle } from '../support/settled-users.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { countOf, lastAuditRow, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

const BROWSER = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' };
const encoded = (text: string) => Buffer.from(text).toString('base64url');

/** The help desk's pages as their forms use them. */
describe.each(DATABASES)('the pages of the help desk on %s', (on) => {
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await settle(server, relyingPartyOf(server, 'acme.example'), [{ username: 'eve' }]);
    await settle(server, relyingPartyOf(server, 'localhost'), [
      ...['ada', 'bob', 'carl', 'dora'].map((username) => ({ username, devices: ['A', 'B'] })),
      { username: 'last', devices: ['A', 'B'] },
    ]);
  });
  afterAll(() => server.stop());

  const tokenOf = (name: string) => server.get(FormTokens).issue({ name, role: 'admin' });
  const disableAda = { action: 'disable-all', name: 'ada', rp: 'localhost' };

  it('refuse a form without the page’s token or from another site', async () => {
    const before = await server.snapshot();
    expect((await send(admin, '/userapi/user', disableAda)).status).toBe(403);
    const stolen = { ...disableAda, formToken: tokenOf('somebody else') };
    expect((await send(admin, '/userapi/user', stolen)).status).toBe(403);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const valid = { ...disableAda, formToken: tokenOf('admin') };
    expect((await send(admin, '/userapi/user', valid, foreign)).status).toBe(403);
    expect(await server.snapshot()).toBe(before);
  });

  it('show an account of another tenant no user and no domain', async () => {
    const stranger = clientOf(server.url, 'acme-helpdesk');
    const formToken = tokenOf('acme-helpdesk');
    const before = await server.snapshot();
    const answers = [
      await stranger.get('/userapi?filter=ada&rp=localhost', HTML),
      await stranger.get('/userapi/user?name=ada&rp=localhost', HTML),
      await send(stranger, '/userapi/user', { ...disableAda, formToken }),
      await send(stranger, '/userapi/bulk', {
        action: 'disable-all',
        user: 'localhost/ada',
        formToken,
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const { text } = await stranger.get('/userapi', HTML);
    expect(text).toContain('eve');
    expect(text).not.toContain('localhost');
    expect(text).not.toContain('>ada<');
    expect(await server.snapshot()).toBe(before);
  });

  it('continue a user’s timeline across pages, even within one millisecond', async () => {
    const relyingParty = relyingPartyOf(server, 'localhost');
    const told = Array.from({ length: 90 }, (_, n) => `story-${n}-`);
    const events = told.map((detail) => ({
      kind: 'policy' as const,
      detail,
      relyingParty,
      at: server.clock.now(),
      user: { username: 'often' },
    }));
    await server.get(Database).commit([ledgerStep(...events)]);
    const read: string[] = [];
    let path: string | undefined = '/userapi/user?name=often&rp=localhost';
    while (path) {
      const { text } = await admin.get(path, HTML);
      read.push(...[...text.matchAll(/<code>(story-\d+-)/g)].map(([, detail = '']) => detail));
      path = linkOf(text, 'next');
    }
    expect(read.sort()).toEqual(told.sort());
  });

  it('return to the page after a change, report it, and leave an audit row', async () => {
    await form('/userapi/user', { ...disableAda, action: 'enable-all' });
    const answer = await form('/userapi/user', disableAda);
    expect(answer.status).toBe(303);
    const location = answer.headers.get('location') ?? '';
    expect(location).toBe('/userapi/user?name=ada&rp=localhost');
    expect((await admin.get(location, HTML)).text).toContain('All keys are disabled.');
    expect((await admin.get(location, HTML)).text).not.toContain('All keys are disabled.');
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'user.disable',
      result: 'ok',
      target: 'ada',
      detail: { credentials: 2 },
    });
    await form('/userapi/user', disableAda);
    expect((await admin.get(location, HTML)).text).toContain(
      'Nothing was changed: another account',
    );
  });

  it('show on the user’s page who disabled a key and why, even after a bulk change', async () => {
    const story = async (name: string) =>
      (await admin.get(`/userapi/user?name=${name}&rp=localhost`, HTML)).text
        .replaceAll(/<(a|\/a|span)\b[^>]*>(, in the audit trail<\/span>)?/g, '')
        .replaceAll(/\s+/g, ' ');
    await form('/userapi/user', { ...disableAda, name: 'dora', reason: ' lost her <phone> ' });
    expect(await story('dora')).toContain(
      'By <bdi>admin</bdi>: “<bdi>lost her &lt;phone&gt;</bdi>”',
    );
    const { text } = await admin.get('/userapi/audit?action=user.disable', HTML);
    expect(text).toContain('<dt>reason</dt><dd>lost her &lt;phone&gt;</dd>');
    await send(admin, '/userapi/bulk', [
      ['action', 'enable-all'],
      ...['dora', 'ada'].map((name): [string, string] => ['user', `localhost/${name}`]),
      ['formToken', tokenOf('admin')],
    ]);
    expect(await story('dora')).toMatch(/Key enabled.*?By <bdi>admin<\/bdi><\/p>/);
    for (const reason of ['x'.repeat(201), 'lost\uffff', 'lost\u0000']) {
      expect((await form('/userapi/user', { ...disableAda, reason })).status).toBe(400);
    }
  });

  it('delete nothing if the typed name is missing', async () => {
    await form('/userapi/user', { ...disableAda, action: 'delete-user', confirm: 'bob' });
    const { body } = await admin.get('/userapi/audit?limit=1');
    expect(body['entries']).toMatchObject([
      { action: 'user.delete', target: 'ada', result: 'refused', detail: { confirmed: false } },
    ]);
  });

  it('link from an unused name to the user with another case', async () => {
    const page = async (name: string) =>
      (await admin.get(`/userapi/user?rp=localhost&name=${name}`, HTML)).text;
    const link = '<a href="/userapi/user?name&#x3D;ada&amp;rp&#x3D;localhost"><bdi>ada</bdi></a>';
    expect(await page('ADA')).toContain(`${link} is a user:`);
    expect(await page('AD')).not.toContain(link);
  });

  it('show no banner that was not signed for the account', async () => {
    const left = async () => {
      await form('/userapi/user', { ...disableAda, action: 'enable-all' });
      await form('/userapi/user', disableAda);
      return admin.cookie ?? '';
    };
    const says = async (cookie: string, headers = admin.headers) => {
      const answer = await fetch(`${server.url}/userapi/user?name=ada&rp=localhost`, {
        headers: { ...headers, ...HTML, cookie },
      });
      return (await answer.text()).includes('All keys are disabled.');
    };
    const cookie = await left();
    expect(await says(cookie)).toBe(true);
    const [text = '', seal = ''] = cookie.slice(cookie.indexOf('=') + 1).split('.');
    const forged = Buffer.from(text, 'base64url').toString().replace('good', 'best');
    for (const value of ['', '.', `${text}.`, `.${seal}`, `${encoded(forged)}.${seal}`]) {
      expect(await says(`servicefido-done=${value}`)).toBe(false);
    }
    server.clock.advance(61_000);
    expect(await says(cookie)).toBe(false);
  });

  it('undo a change for exactly the keys that it disabled', async () => {
    const keys = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT c.credential_id AS id FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ? ORDER BY c.registered_at`,
      Buffer.from('bob'),
    );
    const [first, second] = keys.map(({ id }) => id.toString('base64url'));
    const key = { name: 'bob', rp: 'localhost', key: first ?? '' };
    await form('/userapi/user', { ...key, action: 'disable-key' });
    const before = await enabled('localhost');
    const all = { action: 'disable-all', user: 'localhost/bob' };
    const { text } = await form('/userapi/bulk', all);
    expect(await enabled('localhost')).toBe(before - 1);
    const undo = /name="keys" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#x3D;', '=');
    expect(undo).toBe(second);
    await form('/userapi/bulk', { ...all, action: 'enable-all', keys: undo ?? '' });
    expect(await enabled('localhost')).toBe(before);
  });

  it('change nothing when the result of a change of several users is reloaded', async () => {
    const ticked = { action: 'disable-all', user: 'localhost/dora' };
    const preview = await form('/userapi/bulk/preview', ticked);
    const sent = Object.entries(fieldsOfForm(preview.text, '/userapi/bulk')).map(
      ([name, values]): [string, string] => [name, String(values)],
    );
    const first = await send(admin, '/userapi/bulk', sent);
    expect(first.text).toContain('1 user changed.');
    await form('/userapi/user', { name: 'dora', rp: 'localhost', action: 'enable-all' });
    const before = await server.snapshot();
    const again = await send(admin, '/userapi/bulk', sent);
    expect(again.text).toContain('1 user changed.');
    expect(fieldsOfForm(again.text, '/userapi/bulk')['keys']).toEqual(
      fieldsOfForm(first.text, '/userapi/bulk')['keys'],
    );
    expect(await server.snapshot()).toEqual(before);
  });

  it('undo only the chosen disabling, and none after it', async () => {
    const dora = { name: 'dora', rp: 'localhost' };
    const all = { action: 'disable-all', user: 'localhost/dora' };
    const { text } = await form('/userapi/bulk', all);
    const undo = Object.entries(fieldsOfForm(text, '/userapi/bulk')).map(
      ([name, values]): [string, string] => [name, String(values)],
    );
    await form('/userapi/user', { ...dora, action: 'enable-all' });
    await form('/userapi/user', { ...dora, action: 'disable-all', reason: 'stolen' });
    const before = await enabled('localhost');
    const fields: [string, string][] = [...undo, ['action', 'undo-disable-all']];
    const undone = await send(admin, '/userapi/bulk', fields);
    expect(undone.text).toContain('0 users changed. 1 user needed no change.');
    expect(await enabled('localhost')).toBe(before);
    await form('/userapi/user', { ...dora, action: 'enable-all' });
  });

  it('undo a change also for keys that were deleted and restored since', async () => {
    await settle(server, relyingPartyOf(server, 'localhost'), [
      { username: 'kurt', devices: ['A', 'B', 'C', 'D'] },
    ]);
    const [one, two, three] = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT c.credential_id AS id FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ?`,
      Buffer.from('kurt'),
    );
    const kurt = { name: 'kurt', rp: 'localhost' };
    const key = ({ id }: { id: Buffer } = { id: Buffer.alloc(0) }) => id.toString('base64url');
    await form('/userapi/user', { ...kurt, action: 'disable-key', key: key(one) });
    for (const each of [one, two, three]) {
      await form('/userapi/user', { ...kurt, action: 'delete-key', key: key(each) });
    }
    const deleted = async () =>
      (
        await rowsOf<{ enabled: number }>(
          server,
          `SELECT k.enabled FROM deleted_keys k JOIN users u ON u.id = k.user_id
         WHERE u.username = ? ORDER BY k.enabled`,
          Buffer.from('kurt'),
        )
      ).map(({ enabled: is }) => Boolean(is));
    const all = { action: 'disable-all', user: 'localhost/kurt' };
    const { text } = await form('/userapi/bulk', all);
    expect(await deleted()).toEqual([false, false, false]);
    const [{ id: deletion } = { id: Buffer.alloc(0) }] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT deletion_id AS id FROM deleted_keys WHERE credential_id = ?',
      three?.id ?? null,
    );
    await form('/userapi/undo', { ...kurt, deletion: deletion.toString('base64url') });
    const undo = Object.entries(fieldsOfForm(text, '/userapi/bulk')).map(
      ([name, values]): [string, string] => [name, String(values)],
    );
    await send(admin, '/userapi/bulk', [...undo, ['action', 'undo-disable-all']]);
    expect(await deleted()).toEqual([false, true]);
    const [user] = await new AdminClient(server.url, 'localhost').list('kurt');
    expect(user?.credentials.map(({ enabled: is }) => is)).toEqual([true, true]);
  });

  it('undo a change of users whose only keys had been deleted', async () => {
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'olga' }]);
    const [key] = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT c.credential_id AS id FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ?`,
      Buffer.from('olga'),
    );
    const olga = { name: 'olga', rp: 'localhost', key: key?.id.toString('base64url') ?? '' };
    await form('/userapi/user', { ...olga, action: 'delete-key' });
    const enabledAfterUndo = () =>
      countOf(server, 'deleted_keys WHERE credential_id = ? AND enabled = 1', key?.id ?? null);
    const all = { action: 'disable-all', user: 'localhost/olga' };
    const { text } = await form('/userapi/bulk', all);
    expect(text).toContain('1 user changed.');
    expect(await enabledAfterUndo()).toBe(0);
    const undo = Object.entries(fieldsOfForm(text, '/userapi/bulk')).map(
      ([name, values]): [string, string] => [name, String(values)],
    );
    await send(admin, '/userapi/bulk', [...undo, ['action', 'undo-disable-all']]);
    expect(await enabledAfterUndo()).toBe(1);
  });

  it('undo no disabling of a key that was disabled already', async () => {
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'lars' }]);
    const { text } = await form('/userapi/bulk', {
      action: 'disable-all',
      user: 'localhost/lars',
    });
    const before = await enabled('localhost');
    const lars = { name: 'lars', rp: 'localhost', action: 'disable-all', reason: 'stolen' };
    await form('/userapi/user', lars);
    const undo = Object.entries(fieldsOfForm(text, '/userapi/bulk')).map(
      ([name, values]): [string, string] => [name, String(values)],
    );
    await send(admin, '/userapi/bulk', [...undo, ['action', 'undo-disable-all']]);
    expect(await enabled('localhost')).toBe(before);
    await form('/userapi/user', { ...lars, action: 'enable-all' });
  });

  it('change the users whom the preview showed, even if others have their names now', async () => {
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'ines' }]);
    const ticked = { action: 'disable-all', user: 'localhost/ines' };
    const { text } = await form('/userapi/bulk/preview', ticked);
    const shown = Object.entries(fieldsOfForm(text, '/userapi/bulk')).map(
      ([name, values]): [string, string] => [name, String(values)],
    );
    const names = { relyingParty: 'localhost', username: 'ines', newUsername: 'ines.i' };
    await admin.patch('/userapi/users', names);
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'ines' }]);
    await send(admin, '/userapi/bulk', shown);
    const disabled = await rowsOf<{ username: Buffer }>(
      server,
      `SELECT username FROM users WHERE username IN (?, ?) AND id IN
        (SELECT user_id FROM credentials WHERE enabled = 0)`,
      ...['ines', 'ines.i'].map((name) => Buffer.from(name)),
    );
    expect(disabled.map(({ username }) => username.toString())).toEqual(['ines.i']);
    const allUsers = ['ines', 'ines.i'].map((name): [string, string] => [
      'user',
      `localhost/${name}`,
    ]);
    const fields: [string, string][] = [['formToken', tokenOf('admin')], ...allUsers];
    await send(admin, '/userapi/bulk', [...fields, ['action', 'delete-user'], ['confirm', '2']]);
  });

  it('show a bulk change in the timeline of each user, with its reason', async () => {
    const allUsers = ['gil', 'hana'].map((username) => ({ username, devices: ['A', 'B'] }));
    await settle(server, relyingPartyOf(server, 'localhost'), allUsers);
    const several = (action: string, extra: Record<string, string> = {}) => {
      const fields = Object.entries({ action, formToken: tokenOf('admin'), ...extra });
      const users = allUsers.map((one): [string, string] => ['user', `localhost/${one.username}`]);
      return send(admin, '/userapi/bulk', [...fields, ...users]);
    };
    await several('disable-all', { reason: ' laptops stolen <b> ' });
    for (const target of ['gil', 'hana']) {
      const { body } = await admin.get(
        `/userapi/audit?action=user.disable&target=${target}&limit=1`,
      );
      expect(body['entries']).toMatchObject([
        { relyingParty: 'localhost', detail: { credentials: 2, reason: 'laptops stolen <b>' } },
      ]);
      const { text } = await admin.get(`/userapi/user?rp=localhost&name=${target}`, HTML);
      expect(text).toContain('“<bdi>laptops stolen &lt;b&gt;</bdi>”');
    }
    await several('enable-all');
    await several('enable-all', { reason: 'once more' });
    const { body } = await admin.get('/userapi/audit?action=user.enable&limit=3');
    expect(body['entries']).toMatchObject([
      { target: 'several users', detail: { users: 0 } },
      ...[{ detail: { credentials: 2 } }, { detail: { credentials: 2 } }],
    ]);
    expect((await several('disable-all', { reason: 'x'.repeat(201) })).status).toBe(400);
    expect((await several('disable-key')).status).toBe(400);
  });

  it('show why and in which row of a list a user was deleted', async () => {
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'listed' }]);
    const body = new FormData();
    body.set('file', new File(['listed'], 'leavers.txt'));
    const path = `/userapi/deletelistusers/file?rp=localhost&formToken=${tokenOf('admin')}`;
    const sent = await admin.send(path, { method: 'POST', body, headers: BROWSER });
    const id = new URL(sent.headers.get('location') ?? '', server.url).searchParams.get('upload');
    await form(`/userapi/deletelistusers/${id}/start`, { confirm: '1', reason: 'left in May' });
    const page = '/userapi/user?rp=localhost&name=listed';
    await eventually(async () =>
      expect((await admin.get(page, HTML)).text).toContain('“<bdi>left in May</bdi>”'),
    );
    const { text } = await admin.get(page, HTML);
    const trail = /href="(\/userapi\/audit\?requestId[^"]+)"/.exec(text)?.[1] ?? '';
    const found = await admin.get(trail.replaceAll('&#x3D;', '='));
    const rows = found.body['entries'] as { action: string }[];
    expect(rows.toSorted((a, b) => (a.action < b.action ? -1 : 1))).toMatchObject([
      { action: 'user.delete', target: 'listed', detail: { list: id, reason: 'left in May' } },
      { action: 'users.delete-list', target: id },
    ]);
  });

  describe('the list of users', () => {
    const DAY_MS = 24 * 3600 * 1000;
    const day = (text: string) => Date.parse(text);
    const model = 'ee882879-721c-4913-9775-3dfcce97072a';
    const crowd = Array.from({ length: 60 }, (_, n) => `crowd-${String(n).padStart(2, '0')}`);

    beforeAll(async () => {
      await server.addRelyingParty('views', { domain: 'views.example' });
      await settle(server, relyingPartyOf(server, 'views.example'), [
        { username: 'old', createdAt: day('2020-05-01'), lastUsedAt: day('2021-01-01') },
        { username: 'new', createdAt: day('2026-05-01'), lastUsedAt: day('2026-05-02') },
        { username: 'never', createdAt: day('2022-05-01'), devices: ['A', 'B'] },
        {
          username: '=model',
          createdAt: day('2023-05-01'),
          lastUsedAt: day('2024-01-01'),
          devices: ['A', 'B'],
          model: aaguidBytes(model),
        },
        ...crowd.map((username, n) => ({
          username,
          devices: ['A', 'B'],
          createdAt: day('2025-01-01') + (n % 7),
          lastUsedAt: day('2025-01-01') + n * DAY_MS,
        })),
      ]);
    });

    const page = (query: string) => admin.get(`/userapi?rp=views.example&${query}`, HTML);
    const namesIn = (text: string) =>
      [...text.matchAll(/<th scope="row"><a [^>]*><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name);
    const named = async (query: string) => namesIn((await page(query)).text);
    const all = async (query: string) => {
      const found: unknown[] = [];
      let path: string | undefined = `/userapi?rp=views.example&${query}`;
      while (path) {
        const { text } = await admin.get(path, HTML);
        found.push(...namesIn(text));
        path = linkOf(text, 'next');
      }
      return found;
    };

    it.each([
      ['used=never', ['never']],
      ['keys=one', ['old', 'new']],
      [`model=${model.toUpperCase()}`, ['&#x3D;model']],
      ['unusedSince=2024-01-02', ['old', 'never', '&#x3D;model']],
      ['unusedSince=2024-01-02&sort=name', ['&#x3D;model', 'never', 'old']],
      ['registeredBefore=2023-05-01', ['old', 'never']],
      ['registeredBefore=2023-05-01&sort=-created', ['never', 'old']],
      ['registeredBefore=2023-05-01&unusedSince=2021-01-02&used=never', ['never']],
      ['filter=old&keys=one', ['old']],
      ['filter=n*&keys=one', ['new']],
      [`filter=crowd&model=${model}`, []],
      ['filter=model&sort=-used&state=disabled', []],
    ])('contains exactly the users in the state %s', async (query, expected) => {
      // A page ends early where the database takes its time.
      await eventually(async () => expect(await named(query)).toEqual(expected));
    });

    it('is sorted by name, by creation and by last use', async () => {
      const backwards = crowd.toReversed();
      expect(await all('sort=-name&filter=crowd*')).toEqual(backwards);
      expect(await all('sort=-name')).toEqual(['old', 'new', 'never', ...backwards, '&#x3D;model']);
      expect(await all('sort=used')).toEqual(['never', 'old', '&#x3D;model', ...crowd, 'new']);
      expect(await all('sort=-used&filter=crowd')).toEqual(backwards);
      const came = await all('sort=created');
      expect(came.slice(0, 3)).toEqual(['old', 'never', '&#x3D;model']);
      expect(came.slice(3, -1).map((name) => crowd.indexOf(String(name)) % 7)).toEqual(
        crowd.map((_, n) => n % 7).sort(),
      );
      expect(await all('sort=-created')).toEqual(came.toReversed());
    });

    it('shows the column and direction of its order', async () => {
      const { text } = await page('sort=-created&keys=one');
      expect(text.match(/aria-sort="\w+"/g)).toEqual(['aria-sort="descending"']);
      expect(text.replaceAll('&#x3D;', '=')).toContain(
        '?rp=views.example&amp;keys=one&amp;sort=created',
      );
    });

    it('can be downloaded for a spreadsheet, which leaves an audit row with the account', async () => {
      const { text } = await admin.get(
        '/userapi/users.csv?rp=views.example&filter=*&unusedSince=2024-01-02&sort=-created',
      );
      const rows = text.trim().split('\r\n');
      expect(rows.map((row) => row.split(',')[0])).toEqual([
        '"username"',
        `"'=model"`,
        '"never"',
        '"old"',
      ]);
      const page = (await admin.get('/userapi?rp=views.example&filter=never', HTML)).text;
      const address = /href="([^"]*users\.csv[^"]*)"/
        .exec(page)?.[1]
        ?.replaceAll('&amp;', '&')
        .replaceAll('&#x3D;', '=');
      const german = await admin.get(String(address), { 'accept-language': 'de' });
      expect(german.text).toMatch(/^"username";"displayName";.*\r\n"never";/);
      const found = await admin.get('/userapi/audit?action=users.export&target=*');
      expect(found.body['entries']).toMatchObject([
        {
          account: 'admin',
          target: '*',
          tenant: 'views',
          relyingParty: 'views.example',
          detail: { unusedSince: '2024-01-02', sort: '-created' },
        },
      ]);
    });

    const acme = { 'x-servicefido-relyingparty': 'acme.example' };

    it.each([
      ['its header', '', acme],
      ['"relyingParty"', '?relyingParty=acme.example', {}],
      ['"relyingParty" beside the header', '?relyingParty=acme.example', acme],
      ['"rp"', '?rp=acme.example', {}],
    ])('its file is of the relying party that %s names', async (_, query, headers) => {
      const { status, text } = await admin.get(`/userapi/users.csv${query}`, headers);
      expect(status).toBe(200);
      const users = text.trim().split('\r\n').slice(1);
      expect([...new Set(users.map((line) => line.split(',')[2]))]).toEqual(['"acme.example"']);
      // The header limits the rows to those of the tenant.
      const { body } = await admin.get('/userapi/audit?action=users.export&limit=1', acme);
      expect(body['entries']).toMatchObject([
        { tenant: 'acme', relyingParty: 'acme.example', detail: {} },
      ]);
    });

    it.each([
      ['/userapi/users.csv?relyingParty=unknown.example', 'relyingParty.unknown'],
      ['/userapi/users.csv?relyingParty=acme.example&rp=localhost', 'parameters.wrong'],
      ['/userapi/users.csv?filtr=x', 'parameters.unknown'],
      ['/userapi/users.csv?Suspended=yes', 'parameters.unknown'],
      ['/findings/keys.csv?rp=localhost&rule=status&cursor=x', 'parameters.unknown'],
      ['/dashboard/days.csv?relyingParty=acme.example', 'parameters.none'],
      ['/dashboard/refusals.csv?rp=acme.example', 'parameters.none'],
      ['/dashboard/models.csv?rp=acme.example', 'parameters.none'],
    ])('the file %s is refused: a part of it was wanted', async (path, reason) => {
      expect(await admin.get(path)).toMatchObject({ status: 400, body: { reason } });
    });

    it.each([
      'model=x',
      'state=off',
      'sort=size',
      'unusedSince=2024-02-30',
      'sort=created&cursor=views.example/00',
      'sort=used&cursor=-1',
      'keys=one&cursor=x',
    ])('the list of users is refused for %s', async (query) => {
      expect((await page(query)).status).toBe(400);
    });
  });

  it('contains a user with several disabled keys once', async () => {
    const three = ['ada', 'bob', 'carl'];
    for (const name of three) await form('/userapi/user', { ...disableAda, name });
    const { text } = await admin.get('/userapi/users.csv?state=disabled');
    const names = text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    const found = names.filter((name) => three.includes(name?.replaceAll('"', '') ?? ''));
    expect(found.sort()).toEqual(['"ada"', '"bob"', '"carl"']);
    for (const name of three)
      await form('/userapi/user', { ...disableAda, name, action: 'enable-all' });
  });

  it('preview a list before the deletion, and delete only if the typed number is right', async () => {
    const allUsers = ['cleo', 'dana'].map((username) => ({ username, devices: ['A', 'B'] }));
    await settle(server, relyingPartyOf(server, 'localhost'), allUsers);
    const body = new FormData();
    body.set('file', new File(['cleo\ndana \nnobody\n*\nb\u0007d\n'], '../../etc/passwd'));
    const path = `/userapi/deletelistusers/file?rp=localhost&formToken=${tokenOf('admin')}`;
    const sent = await admin.send(path, { method: 'POST', body, headers: BROWSER });
    expect(sent.status).toBe(303);
    const page = sent.headers.get('location') ?? '';
    const { text } = await admin.get(page, HTML);
    expect(text.match(/<dd>\d+<\/dd>/g)).toEqual(['<dd>2</dd>', '<dd>2</dd>', '<dd>1</dd>']);
    const id = new URL(page, server.url).searchParams.get('upload');
    const start = (confirm: string) => form(`/userapi/deletelistusers/${id}/start`, { confirm });
    const wrong = await start('4');
    expect(wrong.headers.get('set-cookie')).toContain('servicefido-done=');
    expect((await admin.get('/userapi/user?name=dana&rp=localhost', HTML)).status).toBe(200);
    expect((await start('2')).status).toBe(303);
    await eventually(async () => expect((await admin.get(page, HTML)).text).toContain('>Done<'));
    // A search ends early on a busy machine, and then says that it can go on.
    await eventually(async () =>
      expect((await admin.get('/userapi?filter=cleo', HTML)).text).toContain('Nobody found.'),
    );
    expect((await admin.get('/userapi/user?name=dana&rp=localhost', HTML)).status).toBe(404);
  });

  it('explain refusals that are found by time, by request ID and by name', async () => {
    const oneUser = new FidoClient(server.url);
    const refused = await oneUser.beginAuthentication('typo<b>');
    await server.get(RefusalLog).flush();
    const at = new Date(server.clock.now()).toISOString().slice(0, 16);
    const request = refused.headers.get('x-request-id') ?? '';
    const heard = request.toLowerCase().replaceAll('-', ' ');
    for (const path of [
      `/userapi/explain?at=${at}`,
      `/userapi/explain?request=${encodeURIComponent(heard)}`,
      `/userapi/explain?requestId=${request}`,
      `/userapi/explain?request=${encodeURIComponent(`Request ID: ${request}.`)}`,
      '/userapi/explain',
      '/userapi/explain?name=typo%3Cb%3E',
      '/userapi/user?rp=localhost&name=typo%3Cb%3E',
    ]) {
      const { text } = await admin.get(path, HTML);
      expect(text).toContain('Nobody had this user name');
      expect(text).toContain('typo&lt;b&gt;');
      expect(text).toContain('Nobody here has the name that you entered');
    }
    const { text } = await clientOf(server.url, 'acme-helpdesk').get(
      `/userapi/explain?request=${request}`,
      HTML,
    );
    expect(text).toContain('Nothing is known about this request.');
    expect(text).toContain('type the name into the field <strong>Name</strong>.');
  });

  it('explain a wrong field and a wrong audience by naming them', async () => {
    const explained = async (claims: object, name = 'anyone') => {
      const refused = await new FidoClient(server.url).beginAuthentication(name, claims);
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0001R' } });
      await server.get(RefusalLog).flush();
      const request = refused.headers.get('x-request-id');
      return (await admin.get(`/userapi/explain?request=${request}`, HTML)).text;
    };
    const spaced = await explained({}, ' spaced');
    expect(spaced).toContain('"<bdi>username</bdi>" must be a string of 1 to');
    expect(spaced).not.toContain('must be a JSON object');
    expect(await explained({ audience: 'https://no.example' })).toContain(
      '"<bdi>https://no.example</bdi>" is not',
    );
  });

  it('explain a name without a key by its current state', async () => {
    const explained = async (name: string) => {
      const refused = await new FidoClient(server.url).beginAuthentication(name);
      expect(refused.status).toBe(403);
      await server.get(RefusalLog).flush();
      const request = refused.headers.get('x-request-id');
      return (await admin.get(`/userapi/explain?request=${request}`, HTML)).text;
    };
    await new FidoClient(server.url).register('lockedout');
    const key = { name: 'lockedout', rp: 'localhost', action: 'disable-all' };
    await form('/userapi/user', { ...key, reason: 'Model recalled by maker' });
    const locked = await explained('lockedout');
    expect(locked).toContain('Model recalled by maker');
    expect(locked).toContain('Enable a key only if that no longer applies');
    await form('/userapi/user', { ...key, action: 'delete-user', confirm: 'lockedout' });
    const deleted = await explained('lockedout');
    expect(deleted).toContain('Today: The user was deleted');
    expect(deleted).toContain('can be brought back');
  });

  it('keep the recorded reason of an older refusal, and add the present state', async () => {
    const oneUser = new FidoClient(server.url);
    const refuse = async () => {
      const refused = await oneUser.beginAuthentication('later');
      expect(refused.status).toBe(403);
      await server.get(RefusalLog).flush();
      return refused.headers.get('x-request-id');
    };
    const explained = async (request: string | null) =>
      (await admin.get(`/userapi/explain?request=${request}`, HTML)).text;
    const key = { name: 'later', rp: 'localhost' };
    const unknown = await refuse();
    expect(await explained(unknown)).toContain('Nobody had this user name');
    expect(await explained(unknown)).not.toContain('Today:');
    await oneUser.register('later');
    expect(await explained(unknown)).toContain('Today: The user has an enabled key');
    await form('/userapi/user', { ...key, action: 'disable-all' });
    const disabled = await refuse();
    expect(await explained(unknown)).toContain('Nobody had this user name');
    expect(await explained(unknown)).toContain('Today: All keys of the user are disabled');
    await form('/userapi/user', { ...key, action: 'delete-user', confirm: 'later' });
    expect(await explained(disabled)).toContain('The user had no enabled key');
    expect(await explained(disabled)).toContain('Today: The user was deleted');
  });

  it('advise against enabling a key whose model is blocked, and invite users without a key', async () => {
    const domain = 'recalled.example';
    const aaguid = Buffer.from('5a4c00000000400080000000000000aa', 'hex');
    await server.addRelyingParty('shop', { domain, policy: {} });
    const oneUser = new FidoClient(server.url, {
      relyingParty: domain,
      authenticator: new SoftAuthenticator({ attestation: 'packed', aaguid }),
    });
    await oneUser.register('rita', { attestation: 'direct' });
    const explained = async () => {
      const refused = await oneUser.beginAuthentication('rita');
      await server.get(RefusalLog).flush();
      const request = refused.headers.get('x-request-id');
      return (await admin.get(`/userapi/explain?request=${request}`, HTML)).text;
    };
    const at = new AdminClient(server.url, domain);
    await at.manage({ type: 'disableall', filter: 'rita' });
    const policy = {
      block: { mode: 'enforce', list: ['5a4c0000-0000-4000-8000-0000000000aa'] },
    } as const;
    await server.get(TenancyService).changeRelyingParty(server.call, 'shop', domain, { policy });
    const blocked = await explained();
    expect(blocked).toContain('The model is blocked: do not enable this key.');
    expect(blocked).not.toContain('Enable a key only if');
    await at.manage({ type: 'deldevice', filter: 'rita', device: '*' });
    expect(await explained()).toContain('The user has no key');
  });

  it('explain by what a ceremony was ended', async () => {
    const oneUser = new FidoClient(server.url);
    await oneUser.register('late');
    const used = oneUser.assert(await oneUser.beginAuthentication('late'));
    expect((await oneUser.completeAuthentication(used)).status).toBe(200);
    const unused = oneUser.assert(await oneUser.beginAuthentication('late'));
    const twice = await oneUser.completeAuthentication(used);
    const { cookie } = oneUser;
    oneUser.cookie = undefined;
    const lost = await oneUser.completeAuthentication(unused);
    oneUser.cookie = cookie;
    server.clock.advance(61_000);
    const late = await oneUser.completeAuthentication(unused);
    await server.get(RefusalLog).flush();
    for (const [answer, words] of [
      [twice, 'The page was used twice'],
      [lost, 'The browser did not send the cookie back'],
      [late, 'It took too long'],
    ] as const) {
      const request = answer.headers.get('x-request-id');
      const { text } = await admin.get(`/userapi/explain?request=${request}`, HTML);
      expect(text).toContain(words);
    }
  });

  it('explain a refused origin by the allowed ones and the command that adds it', async () => {
    const oneUser = new FidoClient(server.url);
    await oneUser.register('elsewhere');
    const clientData = { origin: 'https://app.test' };
    const refused = await oneUser.signIn('elsewhere', { clientData });
    await server.get(RefusalLog).flush();
    const request = refused.headers.get('x-request-id');
    const { text } = await admin.get(`/userapi/explain?request=${request}`, HTML);
    expect(text).toContain('The page was at <bdi>https://app.test</bdi>.');
    expect(text).toMatch(/Allowed are: <code>http:\/\/localhost:\*<\/code>/);
    expect(text).toContain('servicefido relying-party change default localhost -');
    const helpDesk = clientOf(server.url, 'helpdesk');
    const { text: forHelpDesk } = await helpDesk.get(`/userapi/explain?request=${request}`, HTML);
    expect(forHelpDesk).toContain('The page was at <bdi>https://app.test</bdi>.');
    expect(forHelpDesk).not.toContain('servicefido relying-party change');
    const typed = request?.toLowerCase().replaceAll('-', '');
    const { body } = await admin.get(`/userapi/events?requestId=${typed}`);
    expect(body['events']).toMatchObject([
      {
        requestId: request,
        explanation: expect.stringContaining('The origin https://app.test is not allowed'),
      },
    ]);
  });

  it('the help desk shows where the user signed in or was refused', async () => {
    const oneUser = new FidoClient(server.url);
    oneUser.headers['user-agent'] = 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0';
    await oneUser.register('traveller');
    await oneUser.signIn('traveller');
    oneUser.headers['user-agent'] = 'curl/8.5.0';
    await oneUser.signIn('traveller', { clientData: { origin: 'https://evil.example' } });
    await server.get(RefusalLog).flush();
    const { text } = await admin.get('/userapi/user?rp=localhost&name=traveller', HTML);
    expect([...text.matchAll(/>From ([^<]*)</g)].map(([, from]) => from)).toEqual([
      '127.0.0.1',
      '127.0.0.1, Firefox on Windows',
      '127.0.0.1, Firefox on Windows',
    ]);
    const german = { ...HTML, 'accept-language': 'de' };
    const told = await admin.get('/userapi/user?rp=localhost&name=traveller', german);
    expect(told.text).toContain('>Von 127.0.0.1, Firefox unter Windows<');
  });

  it('name a key by its label on every page, and call no built-in key a security key', async () => {
    const made = { transports: ['internal', 'hybrid'], backupEligible: true, backedUp: true };
    const icloud = Buffer.from('fbfc3007154e4ecc8c0b6e020557d7bd', 'hex');
    const clients = [
      new SoftAuthenticator({ transports: ['internal'] }),
      new SoftAuthenticator({ ...made, aaguid: icloud, attestation: 'packed-self' }),
    ].map((authenticator) => new FidoClient(server.url, { authenticator }));
    for (const client of clients) {
      expect((await client.register('fingertip', { attestation: 'direct' })).status).toBe(200);
    }
    const page = '/userapi/user?rp=localhost&name=fingertip';
    const key = clients[0]?.authenticator.credentials[0]?.id.toString('base64url') ?? '';
    const german = { ...HTML, 'accept-language': 'de' };
    const pages = await Promise.all([
      admin.get(page, HTML),
      admin.get('/userapi?filter=fingertip', HTML),
    ]);
    const inTheTrail = '<dt>Name in the trail</dt><dd><bdi>Security key</bdi></dd>';
    expect(pages[0]?.text).toContain(inTheTrail);
    for (const { text } of pages) {
      expect(text.replace(inTheTrail, '')).not.toContain('Security key');
      expect(text).toContain('Phone or computer');
      expect(text).toMatch(/Passkey in (?:<bdi>)?iCloud Keychain/);
    }
    expect((await admin.get(page, german)).text).toContain('Telefon oder Computer');
    const device = 'Security key';
    const scripted = { type: 'disabledevice', filter: 'fingertip', device };
    const there = { 'x-servicefido-relyingparty': 'localhost' };
    expect((await admin.post('/userapi/manageusers', scripted, there)).body).toMatchObject({
      credentials: 1,
    });
    const gone = { action: 'delete-key', name: 'fingertip', rp: 'localhost', key };
    await form('/userapi/user', gone);
    const { text } = await admin.get(page, HTML);
    expect(text).toContain('Deleted:</strong> <span class="badge"><bdi>Phone or computer');
    expect(text).not.toContain('Security key');
  });

  it('break a long user name in a list after a dot or an at sign', async () => {
    await new FidoClient(server.url).register('lena.roth@mail.example');
    const { text } = await admin.get('/userapi?filter=lena.roth@mail.example', HTML);
    expect(text).toContain('lena.<wbr>roth@<wbr>mail.<wbr>example');
  });

  it('show no sign-in for a user who has no key', async () => {
    const localhost = relyingPartyOf(server, 'localhost');
    await settle(server, localhost, [
      { username: 'zoe-without', devices: [] },
      { username: 'zoe-unused', devices: ['A'] },
    ]);
    const used = async (filter: string) => {
      const { text } = await admin.get(`/userapi?filter=${filter}`, HTML);
      return /<td class="when"[^>]*data-label="Last used"[^>]*>(?:<[^>]*>)*([^<]*)/.exec(text)?.[1];
    };
    expect([await used('zoe-without'), await used('zoe-unused')]).toEqual(['–', 'Never']);
  });

  it('the help desk keeps the typed reason when the confirmation is wrong', async () => {
    const reason = 'left & gone';
    const field = /name="reason" value="left &amp; gone"/;
    const wrong = { action: 'delete-user', confirm: '7', reason };
    const led = await form('/userapi/user', { ...wrong, name: 'ada', rp: 'localhost' });
    const page = await admin.get(led.headers.get('location') ?? '', HTML);
    expect(page.text).toMatch(field);
    expect(page.text).toContain('<details class="danger-zone" open>');
    const bulk = await send(
      admin,
      '/userapi/bulk',
      { ...wrong, user: 'localhost/ada', formToken: tokenOf('admin') },
      HTML,
    );
    expect(bulk.status).toBe(400);
    expect(bulk.text).toMatch(field);
    expect(bulk.text).toContain('Type the number of users to confirm. Nothing was changed.');
    expect(bulk.text).toContain('localhost/ada');
  });

  it('disable the invitation button with the missing setting and who can change it', async () => {
    const page = async (client: Client, query: string) =>
      (await client.get(`/userapi/user?${query}`, HTML)).text;
    const eve = 'name=eve&rp=acme.example';
    const shown = await page(admin, eve);
    expect(shown).toContain('disabled aria-describedby="invite-obstacle"');
    expect(shown).toContain('href="/tenants/acme/acme.example#field-enrolmentUrl"');
    const helpdesk = await page(clientOf(server.url, 'helpdesk'), eve);
    expect(helpdesk).toContain('An administrator can set one');
    expect(await page(clientOf(server.url, 'auditor'), eve)).toContain(
      'Your role does not issue invitations',
    );
    expect(await page(admin, 'name=ada&rp=localhost')).not.toContain('invite-obstacle');
  });

  it('lead from a search without a match to the invitation of that name', async () => {
    const found = async (client: Client, query: string) =>
      (await client.get(`/userapi?${query}`, HTML)).text;
    const link = 'href="/userapi/user?name&#x3D;newbie&amp;rp&#x3D;localhost"';
    expect(await found(admin, 'filter=newbie&rp=localhost')).toContain(link);
    // With one relying party there is nothing to choose.
    expect(await found(clientOf(server.url, 'acme-helpdesk'), 'filter=newbie')).toContain(
      'href="/userapi/user?name&#x3D;newbie&amp;rp&#x3D;acme.example"',
    );
    expect(await found(admin, 'filter=newbie*&rp=localhost')).not.toContain('Somebody new?');
    const auditor = clientOf(server.url, 'auditor');
    expect(await found(auditor, 'filter=newbie&rp=localhost')).not.toContain('Somebody new?');
    expect(await found(admin, 'filter=ada&rp=localhost')).not.toContain('Somebody new?');
  });

  it('show the number of open invitations of a user and withdraw them all', async () => {
    const of = { rp: 'localhost', name: 'ilse' };
    const page = async () =>
      (await admin.get(`/userapi/user?${new URLSearchParams(of).toString()}`, HTML)).text;
    const issue = (hours: string) =>
      form('/userapi/user/invitations', { ...of, hours, minKeys: '1' });
    expect(await page()).not.toContain('still</strong>');
    for (const hours of ['24', '336', '1', '1', '1', '1']) await issue(hours);
    // More than the page lists: all of them count.
    expect(await page()).toMatch(/<strong>6 invitations are still open<\/strong>, the last until/);
    const withdrawn = await form('/userapi/user/invitations/withdraw-all', of);
    expect(withdrawn.status).toBe(303);
    const { body } = await admin.get('/userapi/invitations?username=ilse', {
      'x-servicefido-relyingparty': 'localhost',
    });
    const invitations = body['invitations'] as { id: string; state: string }[];
    expect(invitations.map(({ state }) => state)).toEqual(Array(6).fill('revoked'));
    const [id = ''] = invitations.map((one) => one.id);
    const late = await form('/userapi/user/invitations/withdraw', { ...of, id });
    expect([late.status, late.headers.get('location')]).toEqual([
      303,
      '/userapi/user?name=ilse&rp=localhost',
    ]);
    const [row] = await rowsOf<{ target: Buffer; detail: string }>(
      server,
      "SELECT target, detail FROM audit WHERE action = 'invitation.revoke' AND result = 'ok' ORDER BY seq DESC LIMIT 1",
    );
    expect(row?.target.toString()).toBe('ilse');
    const { invitations: ids } = JSON.parse(row?.detail ?? '{}') as { invitations: string };
    expect(ids.split(' ')).toHaveLength(6);
    expect(await page()).not.toContain('still</strong>');
    await issue('24');
    expect(await page()).toContain('<strong>One invitation is still open</strong>');
  });

  it('invite the users of a list, and say who gets no link and why', async () => {
    const address = '/userapi/user/invitations/list';
    const invite = (users: string, more = {}) =>
      form(address, { rp: 'localhost', hours: '168', users, once: randomUUID(), ...more });
    const { status, text } = await invite(
      'hired-1\tHilda Hired\r\n\r\nhired-2\r\nhired-1\tHilda H.\r\nbad\u200Bname\r\n',
    );
    expect(status).toBe(200);
    expect(text).toContain('2 links were made.');
    expect(text).toContain('1 user gets no link');
    expect(text).toContain('Enter a name of up to 255 characters');
    const file = decodeURIComponent(
      /"data:text\/csv;charset&#x3D;utf-8,([^"]+)"/.exec(text)?.[1] ?? '',
    );
    expect(file).toMatch(/^"hired-1","Hilda H\.","localhost","http[^"]+#[^"]+"/m);
    expect(file).toMatch(/^"hired-2","hired-2","localhost","http[^"]+#[^"]+"/m);
    expect(file).toMatch(/^"bad.name",.*"Enter a name of up to 255 characters/m);
    const rows = await rowsOf<{ username: Buffer; displayName: Buffer | string | null }>(
      server,
      'SELECT username, display_name AS displayName FROM invitations ORDER BY issued_at DESC LIMIT 2',
    );
    const stored = rows.map((row) => [row.username.toString(), row.displayName?.toString()]);
    expect(Object.fromEntries(stored)).toEqual({ 'hired-1': 'Hilda H.', 'hired-2': undefined });
    const again = await invite('hired-1');
    expect(again.text).toContain('No link was made.');
    // The answer with the links was lost.
    expect((await invite('hired-1', { again: 'yes' })).text).toContain('1 link was made.');
    const none = await invite(' \n\t\n');
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('no user name')]);
    const { body } = await admin.get('/userapi/audit?action=invitation.issue&limit=4');
    expect(body['entries']).toMatchObject([
      { result: 'refused' },
      { target: 'hired-1' },
      { target: 'hired-2' },
      { target: 'hired-1' },
    ]);
  });

  it.each([
    ['tabs below a heading', 'E-Mail\tName\nsue@csv.example\tSue Sand\n'],
    ['commas below a heading', 'email,name\nsue@csv.example,"Sand, Sue"\n'],
    ['semicolons, the name first', 'Name;E-Mail\r\nSue Sand;sue@csv.example\r\n'],
    [
      'the columns of Entra',
      'id,userPrincipalName,displayName,mail\n1,sue@csv.example,Sue Sand,s@csv.example\n',
    ],
    ['Excel’s separator', 'sep=;\r\nName;E-Mail\r\nSue Sand;sue@csv.example\r\n'],
    ['a comma after the address', 'sue@csv.example, Sue Sand\n'],
    ['a semicolon after the address', 'sue@csv.example;Sue Sand\n'],
  ])('invite the users of a list with %s', async (_, users) => {
    const fields = { rp: 'localhost', hours: '24', users, again: 'yes', once: randomUUID() };
    const { text } = await form('/userapi/user/invitations/list', fields);
    expect(text).toContain('1 link was made.');
    const file = decodeURIComponent(/charset&#x3D;utf-8,([^"]+)"/.exec(text)?.[1] ?? '');
    expect(file).toMatch(/^"sue@csv\.example","(?:Sue Sand|Sand, Sue)","localhost"/m);
  });

  it('invite a name that contains a comma', async () => {
    const users = 'CN=sue,OU=sand';
    const fields = { rp: 'localhost', hours: '24', users, once: randomUUID() };
    const { text } = await form('/userapi/user/invitations/list', fields);
    expect(text).toContain('<bdi>CN&#x3D;sue,OU&#x3D;sand</bdi>');
  });

  it('answer the dashboard and its files', async () => {
    expect((await admin.get('/', HTML)).status).toBe(200);
    for (const name of ['days', 'refusals', 'models']) {
      const { status, headers } = await admin.get(`/dashboard/${name}.csv`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    }
  });

  function send(
    client: Client,
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ) {
    return client.send(path, {
      method: 'POST',
      headers: { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  function form(path: string, fields: Record<string, string>) {
    return send(admin, path, { ...fields, formToken: tokenOf('admin') });
  }

  function enabled(domain: string) {
    return countOf(
      server,
      'credentials WHERE relying_party_id = ? AND enabled = 1',
      relyingPartyOf(server, domain).id,
    );
  }
});
