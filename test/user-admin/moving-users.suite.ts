import { AdminClient } from '../support/admin-client.js';
import { HTML, adminClient, type Answer } from '../support/client.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { linkUsers, settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';

/** A page as its template was written: Handlebars escapes equals signs. */
const written = ({ text }: Answer) => text.replaceAll('&#x3D;', '=');

/** A change by the help desk at the successor also applies at the predecessor. */
describe.each(DATABASES)('a user during a move, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    // The server's own job would decide about users whom a test links.
    server = await TestServer.start({ on, speed: BY_HAND });
    const policy = { registration: 'ticket' } as const;
    await server.addRelyingParty('acme', { domain: OLD, policy });
    await server.addRelyingParty('acme', { domain: NEW, predecessor: OLD });
  });
  afterAll(() => server.stop());

  it('a user during a move has a page with the keys of both domains, which disables and enables them', async () => {
    await both('anna');
    const shown = await page('anna');
    expect(shown).toContain('Key at old.example');
    expect(shown).toContain('Key at new.example');
    expect(shown).toContain('This user comes from old.example.');
    await act('anna', 'disable-all', { reason: 'phone lost' });
    expect(await enabledOf('anna')).toEqual([]);
    const detail = { credentials: 1, reason: 'phone lost' };
    expect(await trail(2)).toEqual(rowsOfBoth('user.disable', 'anna', detail));
    expect((await page('anna')).match(/<strong>Key disabled</g)).toHaveLength(2);
    await act('anna', 'enable-all');
    expect(await enabledOf('anna')).toEqual([NEW, OLD]);
  });

  it('a user during a move has each key of the predecessor only once on the page', async () => {
    await both('ben');
    const fields = (await page('ben')).matchAll(/name="key" value="([^"]+)"/g);
    const [, old] = new Set([...fields].map(([, key]) => String(key)));
    await act('ben', 'disable-key', { key: String(old) });
    expect(await enabledOf('ben')).toEqual([NEW]);
    expect(await trail(1)).toMatchObject([{ action: 'credential.disable', target: 'ben' }]);
  });

  it('a user during a move has a page at the predecessor that changes only keys there and links to the other page', async () => {
    await both('cleo');
    expect(await page('cleo', OLD)).toContain(
      '<a href="/userapi/user?name=cleo&amp;rp=new.example">new.example</a>',
    );
    await act('cleo', 'disable-all', {}, OLD);
    expect(await enabledOf('cleo')).toEqual([NEW]);
  });

  it('a user during a move is deleted at both domains, even before moving', async () => {
    await both('dora');
    await settle(server, relyingPartyOf(server, OLD), [{ username: 'emil' }]);
    expect(await page('emil')).toContain('Signs in at');
    expect(await page('emil')).toContain('name="link" value="yes" required');
    expect(await page('dora')).not.toContain('name="link"');
    for (const name of ['dora', 'emil']) {
      await act(name, 'delete-user', { confirm: name });
      expect(await enabledOf(name)).toEqual([]);
    }
    expect(await trail(1)).toMatchObject([{ action: 'user.delete', rp: OLD, target: 'emil' }]);
  });

  it('a user during a move can be restored at both domains from the list of deleted users', async () => {
    await both('finn', 'gina');
    const disable = { action: 'disable-all', user: [`${NEW}/finn`, `${NEW}/gina`] };
    const preview = await sendForm(server, '/userapi/bulk/preview', disable);
    expect(preview.text).toContain('Disable the keys of 4 users');
    const done = await sendForm(server, '/userapi/bulk', disable);
    expect([await enabledOf('finn'), await enabledOf('gina')]).toEqual([[], []]);
    expect((await trail(4)).map(({ rp }) => rp)).toEqual([NEW, NEW, OLD, OLD]);
    const valuesOf = (field: string) =>
      [...done.text.matchAll(new RegExp(`name="${field}" value="([^"]*)"`, 'g'))].map(([, value]) =>
        String(value),
      );
    const undo = { action: 'enable-all', user: valuesOf('user'), keys: valuesOf('keys') };
    await sendForm(server, '/userapi/bulk', undo);
    expect([await enabledOf('finn'), await enabledOf('gina')]).toEqual([
      [NEW, OLD],
      [NEW, OLD],
    ]);
  });

  it('a user during a move is found and deleted by a list at both domains, and counted once', async () => {
    await both('hana', 'ivan');
    await settle(server, relyingPartyOf(server, OLD), [{ username: 'jan' }]);
    const admin = new AdminClient(server.url, NEW);
    const users = ['hana', 'ivan', 'jan', 'nobody'];
    const { body } = await admin.post('/userapi/deletelistusers', { users });
    expect(body).toMatchObject({ total: 4, deleted: 3, missing: 1, credentials: 5 });
    for (const name of users) expect(await enabledOf(name)).toEqual([]);
    const [here, there] = await trail(2);
    expect([here?.rp, there?.rp]).toEqual([NEW, OLD]);
    expect(here?.detail).toMatchObject({ deleted: 2, credentials: 2 });
    expect(there?.detail).toMatchObject({ deleted: 3, credentials: 3 });
    const csv = await admin.get(`/userapi/deletelistusers/${String(body['uploadId'])}/result`);
    expect(csv.text).toContain('"hana","deleted","2"');
    expect(csv.text).toContain('"jan","deleted","1"');
  });

  it('a user during a move is counted for both domains on the page of a list', async () => {
    await both('kim');
    await settle(server, relyingPartyOf(server, OLD), [{ username: 'lena' }]);
    const admin = new AdminClient(server.url, NEW);
    const { body } = await admin.send('/userapi/upload', listOf('kim\nlena\nnobody'));
    expect(body['users']).toMatchObject([
      { username: 'kim', found: true, credentials: 2 },
      { username: 'lena', found: true, credentials: 1 },
      { username: 'nobody', found: false },
    ]);
    const address = `/userapi/deletelistusers?upload=${String(body['uploadId'])}`;
    const { text } = await admin.get(address, HTML);
    expect(text.replaceAll(/<[^>]*>/g, '')).toMatch(/2 users/);
    const start = `/userapi/deletelistusers/${String(body['uploadId'])}/start`;
    await sendForm(server, start, { confirm: '2' });
    expect((await trail(2, 'users.delete-list')).map(({ rp }) => rp)).toEqual([NEW, OLD]);
    await eventually(async () => {
      const deleted = await trail(3, 'user.delete');
      expect(deleted.map(({ target, rp }) => `${target} ${rp}`).sort()).toEqual([
        `kim ${NEW}`,
        `kim ${OLD}`,
        `lena ${OLD}`,
      ]);
    });
  });

  it('leaves an audit row for each domain after a change by manageusers', async () => {
    await both('mia');
    const admin = new AdminClient(server.url, NEW);
    const { body } = await admin.managePost({ type: 'disableall', filter: 'mia' });
    expect(body).toMatchObject({ users: 2, credentials: 2 });
    expect(await trail(2)).toEqual(rowsOfBoth('user.disable', 'mia', { credentials: 1 }));
  });

  async function both(...names: string[]) {
    for (const domain of [OLD, NEW]) {
      const allUsers = names.map((username) => ({ username, devices: [`Key at ${domain}`] }));
      await settle(server, relyingPartyOf(server, domain), allUsers);
    }
    const places = [relyingPartyOf(server, OLD), relyingPartyOf(server, NEW)] as const;
    for (const name of names) await linkUsers(server, places, name);
  }

  function act(name: string, action: string, more: Record<string, string> = {}, rp = NEW) {
    return sendForm(server, '/userapi/user', { name, rp, action, ...more });
  }

  async function page(name: string, rp = NEW) {
    return written(await adminClient(server.url).get(`/userapi/user?name=${name}&rp=${rp}`, HTML));
  }

  /** The domains where a user has keys that can sign in. */
  async function enabledOf(name: string) {
    const rows = await rowsOf<{ domain: string }>(
      server,
      `SELECT r.domain FROM credentials c JOIN users u ON u.id = c.user_id
         JOIN relying_parties r ON r.id = u.relying_party_id
       WHERE u.username = ? AND c.enabled = 1 ORDER BY r.domain`,
      Buffer.from(name),
    );
    return rows.map(({ domain }) => domain);
  }

  async function trail(count: number, action = '%') {
    const rows = await rowsOf<{ action: string; rp: Buffer; target: Buffer; detail: string }>(
      server,
      `SELECT action, relying_party AS rp, target, detail FROM audit
       WHERE action LIKE ? ORDER BY seq DESC LIMIT ${count}`,
      action,
    );
    return rows
      .map(({ action, rp, target, detail }) => ({
        action,
        rp: rp.toString(),
        target: target.toString(),
        detail: JSON.parse(detail) as object,
      }))
      .sort((a, b) => (a.rp < b.rp ? -1 : 1));
  }

  function rowsOfBoth(action: string, target: string, detail: object) {
    return [NEW, OLD].map((rp) => ({
      action,
      rp,
      target,
      detail: expect.objectContaining(detail),
    }));
  }
});

const listOf = (content: string) => ({
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: `--x\r\nContent-Disposition: form-data; name="file"; filename="l"\r\n\r\n${content}\r\n--x--\r\n`,
});

/** A new name keeps keys, history and user ID. */
describe.each(DATABASES)('a user who was renamed, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const admin = () => new AdminClient(server.url, 'localhost');
  const rename = async (username: string, newUsername: string) => {
    // Events of one millisecond could be of either name.
    server.clock.advance(10);
    const { status } = await admin().patch('/userapi/users', { username, newUsername });
    expect(status).toBe(200);
    server.clock.advance(10);
  };
  const page = async (name: string) =>
    written(await admin().get(`/userapi/user?name=${name}&rp=localhost`, HTML));
  const eventsOf = async (name: string, more = '') => {
    const { body } = await admin().get(`/userapi/events?user=${name}${more}`);
    const events = body['events'] as { kind: string; username: string }[];
    return { all: events.map(({ kind, username }) => `${kind} ${username}`), next: body['next'] };
  };
  const good = (answer: Answer) => expect(answer.status).toBe(200);

  it('a user who was renamed has one history under all names, which the next user of a former name does not share', async () => {
    const anna = new FidoClient(server.url);
    good(await anna.register('anna'));
    good(await anna.signIn('anna'));
    await rename('anna', 'anna.smith');
    good(await anna.signIn('anna.smith'));
    const second = new FidoClient(server.url);
    good(await second.register('anna'));
    const all = [
      'authentication anna.smith',
      'authentication anna',
      'registration anna',
      'user-created anna',
    ];
    expect((await eventsOf('anna.smith')).all).toEqual(all);
    expect((await eventsOf('anna')).all).toEqual(['registration anna', 'user-created anna']);

    const pages: string[] = [];
    let cursor = '';
    for (let n = 0; n < 4; n += 1) {
      const { all: some, next } = await eventsOf('anna.smith', `&limit=1${cursor}`);
      pages.push(...some);
      cursor = `&cursor=${String(next)}`;
    }
    expect(pages).toEqual(all);

    const shown = await page('anna.smith');
    expect(shown.match(/<strong>Signed in<\/strong>/g)).toHaveLength(2);
    expect(shown).toContain('Earlier names');
    expect(shown).toContain('/userapi/audit?target=anna"');
    const other = await page('anna');
    expect(other).not.toContain('<strong>Signed in</strong>');
    expect(other).toContain('<a href="/userapi/user?name=anna.smith&amp;rp=localhost">');
  });

  it('a user who was renamed is found by earlier names, even after several renames', async () => {
    const ben = new FidoClient(server.url);
    good(await ben.register('ben'));
    await rename('ben', 'b.miller');
    const found = async (text: string) => {
      const { body } = await admin().get(`/userapi/users?search=${text}`);
      return (body['users'] as { username: string }[]).map(({ username }) => username);
    };
    expect(await found('ben')).toEqual(['b.miller']);
    expect(await page('ben')).toContain('<bdi>b.miller</bdi>');
    await rename('b.miller', 'ben');
    await rename('ben', 'b.smith');
    expect(await found('ben')).toEqual(['b.smith']);
    expect((await eventsOf('b.smith')).all).toEqual(['registration ben', 'user-created ben']);
    await admin().managePost({ type: 'deluser', filter: 'b.smith' });
    expect(await found('ben')).toEqual([]);
    expect(await rowsOf(server, "SELECT until FROM earlier_names WHERE username = 'ben'")).toEqual(
      [],
    );
  });
});
