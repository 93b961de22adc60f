import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { accountsFile, PASSWORD } from '../support/accounts.js';
import { beforeNextRow } from '../support/before-next-row.js';
import { BrowserClient, sendRaw } from '../support/browser-client.js';
import { changingCall } from '../support/changing-call.js';
import { basic } from '../support/client.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { ProviderProcess } from '../support/oidc/provider-process.js';
import { rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { freePort } from '../support/server-process.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const DAY_MS = 24 * 3_600_000;

describe.each(DATABASES)('--console-local break-glass, over %s', (on) => {
  let database: TestDatabase;
  let provider: ProviderProcess;
  let server: TestServer;

  beforeEach(async () => {
    const port = await freePort();
    database = await createServerDatabase(on);
    provider = await ProviderProcess.start(port);
    const accounts = accountsFile([{ name: 'helpdesk', role: 'helpdesk' }]);
    const consoleOidc = provider.file();
    const options = { accounts, consoleOidc, consoleLocal: 'break-glass' } as const;
    server = await TestServer.start({ database, options, port });
  });
  afterEach(async () => {
    await Promise.all([server.stop(), provider.stop()]);
    await database.remove();
  });

  const problems = async () => (await server.get(SetupFindings).all()).map(({ name }) => name);

  it('keeps local accounts out, by the page as by HTTP Basic, and reports that none is left', async () => {
    const page = await signIn(ADMIN.user, ADMIN.password);
    expect(page.status).toBe(401);
    const wrong = await signIn(ADMIN.user, 'wrong');
    expect(wrong.status).toBe(401);
    expect(await byBasic('helpdesk', PASSWORD)).toBe(401);
    expect(await rows()).toEqual([]);
    expect(await problems()).toContain('no-break-glass');
  });

  it('lets a marked account sign in; each sign-in is an audit row and an alarm for 30 days', async () => {
    await mark(ADMIN.user);
    expect(await problems()).not.toContain('no-break-glass');
    expect((await signIn(ADMIN.user, ADMIN.password)).text).toContain('Signed in as');
    expect(await byBasic(ADMIN.user, ADMIN.password)).toBe(200);
    expect(await byBasic('helpdesk', PASSWORD)).toBe(401);
    expect(await rows()).toEqual([
      [ADMIN.user, 'password'],
      [ADMIN.user, 'basic'],
    ]);
    expect(await problems()).toContain('break-glass');
    const client = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    for (const path of ['/status', '/findings']) {
      expect((await client.open(path)).text).toContain('An account for emergencies has signed in.');
    }
    server.clock.advance(31 * DAY_MS);
    expect(await problems()).not.toContain('break-glass');
  });

  it('keeps the mark of an account of the configuration when the account is reset', async () => {
    await mark('helpdesk');
    const call = changingCall(server, 'account.reset');
    await server.get(ConsoleAccounts).reset(call, 'helpdesk', 'password');
    expect((await signIn('helpdesk', PASSWORD)).text).toContain('Signed in as');
  });

  it('ends the sessions of an account, and its HTTP Basic, when it loses the mark', async () => {
    await mark('helpdesk');
    const client = await BrowserClient.signedIn(server.url, 'helpdesk', PASSWORD);
    expect(await byBasic('helpdesk', PASSWORD)).toBe(200);
    await mark('helpdesk', false);
    expect((await client.open('/userapi')).status).toBe(401);
    expect(await byBasic('helpdesk', PASSWORD)).toBe(401);
  });

  it('is set on the page of an account, by an account of the provider that has just signed in', async () => {
    const groups = ['fido-admins'];
    await provider.signInAs({ sub: 'u1', preferred_username: 'anna', groups });
    const client = new BrowserClient(server.url);
    await client.open('/console/oidc');
    const page = await client.open('/console/accounts/helpdesk');
    expect(page.text).toContain('Allow in emergencies');
    const saved = await client.submit('/console/accounts/helpdesk/_break-glass', {
      breakGlass: 'on',
    });
    expect(saved.text).toContain('for emergencies');
    expect((await signIn('helpdesk', PASSWORD)).text).toContain('Signed in as');
    const own = `/console/accounts/${encodeURIComponent('anna (oidc)')}`;
    expect((await client.open(own)).text).not.toContain('Allow in emergencies');
    const refused = await client.submit(`${own}/_break-glass`, { breakGlass: 'on' });
    expect(refused.status).toBe(400);
  });

  it('marks no account that is removed or marked meanwhile, and leaves no row that says so', async () => {
    const call = changingCall(server, 'account.create');
    const accounts = server.get(ConsoleAccounts);
    await accounts.create(call, 'heidi', { role: 'helpdesk' }, 'link');
    beforeNextRow(server, () =>
      accounts.remove(changingCall(server, 'account.remove'), 'heidi').then(() => undefined),
    );
    await expect(mark('heidi')).rejects.toMatchObject({ code: 'E0053R' });
    beforeNextRow(server, () => mark('helpdesk'));
    await expect(mark('helpdesk')).rejects.toMatchObject({ code: 'E0053R' });
    const marks = await rowsOf(server, "SELECT 1 FROM audit WHERE action = 'account.break-glass'");
    expect(marks).toHaveLength(1);
  });

  function mark(name: string, marked = true) {
    return server
      .get(ConsoleAccounts)
      .setBreakGlass(changingCall(server, 'account.break-glass'), name, marked);
  }

  function signIn(name: string, password: string) {
    return new BrowserClient(server.url).signIn(name, password);
  }

  async function byBasic(name: string, password: string) {
    const answer = await sendRaw(`${server.url}/userapi`, { headers: basic(name, password) });
    return answer.status;
  }

  async function rows() {
    const sql = `SELECT account, detail FROM audit WHERE action = 'break-glass' ORDER BY seq`;
    const found = await rowsOf<{ account: Buffer; detail: string }>(server, sql);
    return found.map(({ account, detail }) => [
      account.toString(),
      (JSON.parse(detail) as { way: string }).way,
    ]);
  }
});
