import { BrowserClient, type Shown } from '../support/browser-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { CreationOptions } from '../../packages/testing/src/ceremony-json.js';
import { clientOf } from '../support/accounts.js';
import { DATABASES } from '../support/databases.js';
import { countOf, lastAuditRow, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';
import { optionsIn } from '../support/page-forms.js';

const ACCOUNTS = '/console/accounts';
const OWN = '/console/account';
const SETUP = '/console/setup';
const PASSWORD = 'four words are good';
const DAY_MS = 24 * 3_600_000;

const secretIn = ({ text }: Shown) => /class="secret"[^>]*>(?:[^<#]+#)?([^<#]+)</.exec(text)?.[1];
describe.each(DATABASES)('the first sign-in of an account, over %s', (on) => {
  let server: TestServer;
  let other: TestServer;
  let admin: BrowserClient;

  beforeAll(async () => {
    server = await TestServer.start({ on });
    other = await TestServer.start({ database: server.database });
  });
  beforeEach(async () => {
    admin = await signedIn(ADMIN.user, ADMIN.password);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  describe('a setup link', () => {
    it('lets its account choose a password once, and is stored only as a hash', async () => {
      const token = await create('anna');
      const stored = await rowsOf<object>(server, 'SELECT * FROM console_setups');
      expect(JSON.stringify(stored)).not.toContain(token);
      const opened = await new BrowserClient(server.url).submit(SETUP, { token });
      expect(opened.text).toContain('anna');
      expect((await finish(token)).text).toContain('Your password is set');
      expect((await basic('anna', PASSWORD)).status).toBe(200);
      const again = await finish(token, { password: 'another horse', again: 'another horse' });
      expect([again.status, again.text]).toEqual([
        400,
        expect.stringContaining('This link is no longer valid'),
      ]);
      expect((await basic('anna', PASSWORD)).status).toBe(200);
      const rows = await rowsOf<{ account: Buffer; detail: string }>(
        server,
        "SELECT account, detail FROM audit WHERE action = 'account.setup'",
      );
      const ofAnna = rows.filter(({ account }) => String(account) === 'anna');
      expect(ofAnna.map(({ detail }) => detail)).toEqual(['{"way":"password"}']);
      expect(JSON.stringify([server.logged, other.logged])).not.toContain(token);
    });

    it('says at once whether a second factor will be demanded', async () => {
      const opened = async (token: string) =>
        (await new BrowserClient(server.url).submit(SETUP, { token })).text;
      const said = 'This account needs a second factor.';
      expect(await opened(await create('needy', { secondFactor: 'yes' }))).toContain(said);
      expect(await opened(await create('free'))).not.toContain(said);
    });

    it('leaves a last sign-in in the list of accounts, which others lack', async () => {
      await finish(await create('seen'));
      await create('unseen');
      const [, list = ''] = (await admin.open(ACCOUNTS)).text.split('<tbody>');
      const rowOf = (name: string) =>
        list.split('<tr>').find((row) => row.includes(`<bdi>${name}</bdi></a>`)) ?? '';
      expect(rowOf('seen')).toContain('<time datetime=');
      expect(rowOf('unseen')).not.toContain('<time datetime=');
      expect(rowOf(ADMIN.user)).toContain('<time datetime=');
      const signIn = await new BrowserClient(server.url).open('/console/sign-in');
      expect(signIn.text).toContain('<code>./servicefido account reset NAME</code>');
    });

    it('lets its account add a key in place of a password', async () => {
      const token = await create('berta');
      const device = new SoftAuthenticator();
      const client = new BrowserClient(server.url);
      const options = optionsIn<CreationOptions>(await client.submit(SETUP, { token }), 'create');
      const response = JSON.stringify(device.create(options, { origin: server.url }));
      const done = await client.submit(`${SETUP}/finish`, { token, name: 'Phone', response });
      expect(done.text).toContain('Your key is added, and you are signed in.');
      expect((await client.open('/userapi')).status).toBe(200);
      expect((await finish(token)).status).toBe(400);
      const account = await client.open(OWN);
      expect(account.text).toContain('This account has no password');
      expect(account.text).not.toContain('name="current"');
      expect(account.text).not.toContain('name="rule"');
      for (const rule of ['password', 'password+key']) {
        const refused = await client.submit(`${OWN}/rule`, { rule });
        expect([refused.status, refused.text]).toEqual([
          400,
          expect.stringContaining('ask an administrator to reset the account'),
        ]);
      }
    });

    it('sets one password when it is used twice at the same time, at two instances', async () => {
      for (let round = 0; round < 5; round += 1) {
        const token = await create(`twice-${round}`);
        const passwords = ['the first horse', 'the second horse'];
        const answers = await Promise.all(
          passwords.map((password, n) =>
            finish(token, { password, again: password }, n === 0 ? server : other),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
        const won = passwords[answers.findIndex(({ status }) => status === 200)] ?? '';
        expect((await basic(`twice-${round}`, won)).status).toBe(200);
      }
    });

    it('a setup link is replaced by a reset, whose new link works', async () => {
      const first = await create('carl');
      await admin.open(`${ACCOUNTS}/carl`);
      const second = secretIn(await admin.submit(`${ACCOUNTS}/carl/_reset`, {})) ?? '';
      expect((await finish(first)).status).toBe(400);
      expect((await finish(second)).status).toBe(200);
      const unset = `console_setups s JOIN console_accounts a ON a.id = s.account_id
        WHERE s.token_hash IS NULL AND a.name = ?`;
      expect(await countOf(server, unset, Buffer.from('carl'))).toBe(0);
    });

    it('a setup link is not used up by a mistake', async () => {
      const token = await create('dora');
      const differs = await finish(token, { again: 'another one' });
      expect(differs.text).toContain('two entries of the new password differ');
      expect((await finish(token, { password: 'short', again: 'short' })).status).toBe(400);
      expect((await finish(token)).status).toBe(200);
    });

    it('a setup link cannot be used from a page of another site', async () => {
      const token = await create('emil');
      const sent = { token, password: PASSWORD, again: PASSWORD };
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const client = new BrowserClient(server.url);
      expect((await client.submit(`${SETUP}/finish`, sent, foreign)).status).toBe(403);
      expect((await finish(token)).status).toBe(200);
    });
  });

  describe('a first password', () => {
    it('lets browsers only change it, and programs do nothing until then', async () => {
      const password = await create('fritz', { start: 'password' });
      const refused = await basic('fritz', password);
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({
        errorCode: 'E0043R',
        reason: 'account.first.password',
      });
      const fritz = await signedIn('fritz', password);
      expect((await fritz.open('/userapi')).status).toBe(403);
      const shown = (await fritz.open(OWN)).text;
      expect(shown).toContain('Choose a password of your own first');
      expect(shown.indexOf('id="password-heading"')).toBeLessThan(
        shown.indexOf('id="keys-heading"'),
      );
      expect((await changed(fritz, password)).text).toContain('Your password is changed.');
      expect((await fritz.open('/userapi')).status).toBe(200);
      expect((await basic('fritz', PASSWORD)).status).toBe(200);
    });

    it('a first password leads a sign-in to the page of the account, whatever was requested', async () => {
      const password = await create('gina', { start: 'password' });
      const client = new BrowserClient(server.url);
      const shown = await client.signIn('gina', password, '/userapi');
      expect(shown.text).toContain('Choose a password of your own first');
    });

    it('a first password is not required of the first administrator', async () => {
      expect((await basic(ADMIN.user, ADMIN.password)).status).toBe(200);
      expect((await admin.open('/')).status).toBe(200);
    });
  });

  describe('an account that must have a second factor', () => {
    const demand = (name: string, fields = {}) =>
      admin.submit(`${ACCOUNTS}/${name}/_change`, { role: 'helpdesk', tenants: '', ...fields });

    it('an account that must have a second factor can only add a key, which the next sign-in then requires', async () => {
      const token = await create('hans', { secondFactor: 'yes' });
      const hans = new BrowserClient(server.url);
      const set = { token, password: PASSWORD, again: PASSWORD };
      const { text } = await hans.submit(`${SETUP}/finish`, set);
      // The page asks for the key once.
      expect(text).toContain('Your password is set, and you are signed in.');
      expect(text).toContain('Add a key first');
      expect(text).not.toContain('Add a key too');
      const elsewhere = await hans.open('/userapi');
      expect(elsewhere.status).toBe(403);
      expect(elsewhere.text).toContain('Add a key first: this account must have a second factor.');
      expect(elsewhere.text).toContain('<a href="/console/account" role="button">Your account</a>');
      expect(elsewhere.text).not.toContain('Ask an administrator');
      expect((await basic('hans', PASSWORD)).body).toMatchObject({
        errorCode: 'E0043R',
        reason: 'account.first.key',
      });
      expect((await addKey(hans)).text).toContain('The key is added.');
      expect((await hans.open('/userapi')).status).toBe(200);
      expect((await basic('hans', PASSWORD)).status).toBe(401);
      const next = await new BrowserClient(server.url).signIn('hans', PASSWORD);
      expect(next.text).toContain('Your password is correct. Now use your key');
    });

    it('keeps its last key, and the rule that requires one', async () => {
      const token = await create('ida', { secondFactor: 'yes' });
      const ida = new BrowserClient(server.url);
      await ida.submit(`${SETUP}/finish`, { token, password: PASSWORD, again: PASSWORD });
      await addKey(ida);
      const { text } = await ida.open(OWN);
      const remove = /action="([^"]+_remove)"/.exec(text)?.[1] ?? '';
      expect((await ida.submit(remove, {})).text).toContain('This is the last key');
      expect(text).not.toContain('<option value="password">');
      const rule = await ida.submit(`${OWN}/rule`, { rule: 'password' });
      expect(rule.text).toContain('requires a second factor');
    });

    it('an account that must have a second factor loses its sessions when the second factor is required later, and is marked in the list', async () => {
      const token = await create('jan');
      const jan = new BrowserClient(server.url);
      await jan.submit(`${SETUP}/finish`, { token, password: PASSWORD, again: PASSWORD });
      await admin.open(`${ACCOUNTS}/jan`);
      await demand('jan', { secondFactor: 'yes' });
      expect((await jan.open('/userapi')).status).toBe(401);
      const row = async () => {
        const { text } = await admin.open(ACCOUNTS);
        return text.slice(text.indexOf('/jan"')).split('</tr>')[0];
      };
      expect(await row()).toContain('demanded, none yet');
      await jan.signIn('jan', PASSWORD);
      await addKey(jan);
      expect(await row()).toContain('1 key');
      const { detail } = await lastAuditRow(server, 'account.change');
      expect(JSON.stringify(detail)).toContain('secondFactor');
    });
  });

  it('an expired setup link signs no account in', async () => {
    const token = await create('kurt');
    for (const at of [server, other]) at.clock.advance(3 * DAY_MS);
    expect((await finish(token)).text).toContain('This link is no longer valid');
    const opened = await new BrowserClient(server.url).submit(SETUP, { token });
    expect(opened.status).toBe(400);
  });

  function signedIn(name: string, password: string) {
    return BrowserClient.signedIn(server.url, name, password);
  }

  /** The link's token, or the first password. */
  async function create(name: string, fields: Record<string, string> = {}): Promise<string> {
    await admin.open(ACCOUNTS);
    const shown = await admin.submit(ACCOUNTS, { name, role: 'helpdesk', ...fields });
    expect(shown.status).toBe(201);
    return secretIn(shown) ?? '';
  }

  function finish(token: string, fields: Record<string, string> = {}, at = server) {
    const client = new BrowserClient(at.url);
    const sent = { token, password: PASSWORD, again: PASSWORD, ...fields };
    return client.submit(`${SETUP}/finish`, sent);
  }

  function basic(name: string, password: string) {
    return clientOf(other.url, name, password).get('/userapi/users?search=a');
  }

  function changed(client: BrowserClient, current: string) {
    return client.submit(`${OWN}/password`, { current, password: PASSWORD, again: PASSWORD });
  }

  async function addKey(client: BrowserClient, device = new SoftAuthenticator()) {
    const made = device.create(optionsIn<CreationOptions>(await client.open(OWN), 'create'), {
      origin: server.url,
    });
    return client.submit(`${OWN}/keys`, { name: 'Laptop', response: JSON.stringify(made) });
  }
});
