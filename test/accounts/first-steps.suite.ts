import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { FirstSteps } from '../../src/pages/dashboard/first-steps.js';
import { SharedRecords } from '../../src/platform/database/shared-records.js';
import { sendForm } from '../support/console-form.js';
import { ACCOUNTS, accountsFile, clientOf } from '../support/accounts.js';
import { changingCall } from '../support/changing-call.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

const BY = { name: 'admin', role: 'admin' } as const;

describe.each(DATABASES)('the list of first steps, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      on,
      options: {
        accounts: accountsFile([
          ...ACCOUNTS,
          { name: 'second', role: 'admin' },
          { name: 'bank-admin', role: 'admin', tenants: ['bank'] },
        ]),
      },
    });
  });
  afterAll(() => server.stop());

  describe('on a new server', () => {
    let fresh: TestServer;
    beforeAll(async () => {
      fresh = await TestServer.start({ on });
    });
    afterAll(() => fresh.stop());

    it('the list of first steps has no tick on a new server, and names a backup only if the server can make one', async () => {
      expect(await steps(adminClient(fresh.url))).toEqual({
        'Add your domain': false,
        'Decide who may register': false,
        'Give your application a key': false,
        'Serve over HTTPS': false,
        ...(on === 'SQLite' && { 'Make a backup': false }),
      });
    });

    it('the list of first steps leads to the finding that says what to do', async () => {
      const page = (await adminClient(fresh.url).get('/', HTML)).text;
      const dashboard = page.slice(page.indexOf('<ol class="first-steps">'));
      const status = (await adminClient(fresh.url).get('/status', HTML)).text;
      const places = [...dashboard.matchAll(/href="\/status#([\w-]+)"/g)].map(([, id]) => id);
      expect(places).toEqual(on === 'SQLite' ? ['finding-no-backup'] : []);
      for (const id of places) expect(status).toContain(`<li id="${id}">`);
      // The server of the tests is reached from this machine alone: the text of the step says what to do.
      expect(dashboard).not.toContain('href="/status" role="button"');
    });
  });

  it('shows administrators of a tenant the steps of the tenant, and other roles none', async () => {
    expect(Object.keys(await steps(clientOf(server.url, 'acme-admin')))).toEqual([
      'Add your domain',
      'Decide who may register',
      'Give your application a key',
    ]);
    for (const role of ['helpdesk', 'auditor', 'finance']) {
      expect(await steps(clientOf(server.url, role))).toEqual({});
    }
  });

  it('ticks steps according to the state of the server', async () => {
    const policy = { registration: { value: 'ticket', mode: 'enforce' } } as const;
    await server.addRelyingParty('bank', { domain: 'bank.example', policy });
    const bank = clientOf(server.url, 'bank-admin');
    const key = { name: 'Shop', tenant: 'bank', scopes: ['ceremonies'] };
    expect(await steps(bank)).toMatchObject({ 'Give your application a key': false });
    expect((await adminClient(server.url).post('/tenantapi/keys', key)).status).toBe(201);
    if (on === 'SQLite') await server.get(SharedRecords).findOrCreate('last-backup', () => '1');
    // All of the tenant's own are done: the list is gone.
    expect(await steps(bank)).toEqual({});
    expect(await steps()).toEqual({
      'Add your domain': true,
      'Decide who may register': false,
      'Give your application a key': true,
      'Serve over HTTPS': false,
      ...(on === 'SQLite' && { 'Make a backup': true }),
    });
    const { text } = await adminClient(server.url).get('/', HTML);
    expect(text).toContain(
      'anybody who reaches the server can register a key for any name at <bdi>localhost</bdi>',
    );
    // A done step does not show the text that holds only until it is done.
    expect(text).not.toContain('Keys belong to a domain.');
  });

  it('the list of first steps leads to the choice of the first undecided domain, and to localhost last', async () => {
    const client = adminClient(server.url);
    const decide = async () =>
      /<a href="([^"]*)"[^>]*>Decide</.exec((await client.get('/', HTML)).text)?.[1];
    await server.addRelyingParty('shop', { domain: 'zoo.example' });
    expect(await decide()).toBe('/tenants/shop/zoo.example/registration');
    const policy = { registration: { value: 'ticket', mode: 'enforce' } } as const;
    await client.patch('/tenantapi/tenants/shop/relying-parties/zoo.example', { policy });
    expect(await decide()).toBe('/tenants/default/localhost/registration');
  });

  it('the list of first steps stays hidden from the account that hides it, and says so once', async () => {
    const other = clientOf(server.url, 'second');
    expect((await hide('second')).status).toBe(303);
    expect(await steps(other)).toEqual({});
    expect((await hide('second')).status).toBe(303);
    expect(Object.keys(await steps())).not.toEqual([]);
  });

  it('the list of first steps is shown to a new account even if a former account of its name hid it', async () => {
    const accounts = server.get(ConsoleAccounts);
    const list = server.get(FirstSteps);
    const permissions = { role: 'admin', tenants: ['default'] } as const;
    const account = { name: 'tess', ...permissions };
    const shown = async () => (await list.of(account, server.url)) !== undefined;
    for (const leaves of [true, false]) {
      await accounts.create(
        changingCall(server, 'account.create', BY),
        account.name,
        permissions,
        'password',
      );
      expect(await shown()).toBe(true);
      await list.hide(account);
      expect(await shown()).toBe(false);
      if (leaves) await accounts.remove(changingCall(server, 'account.remove', BY), account.name);
    }
  });

  async function steps(client: Client = adminClient(server.url)) {
    return stepsIn((await client.get('/', HTML)).text);
  }

  function hide(name: string) {
    return sendForm(server, '/console/first-steps/_hide', {}, { name, headers: HTML });
  }
});

/** The steps of a dashboard, and whether each is done. */
function stepsIn(html: string): Record<string, boolean> {
  const items = /<ol class="first-steps">([^]*?)<\/ol>/.exec(html)?.[1]?.match(/<li>[^]*?<\/li>/g);
  return Object.fromEntries(
    (items ?? []).map((item) => [
      String(/<strong>(.*?)<\/strong>/.exec(item)?.[1]),
      item.includes('badge good'),
    ]),
  );
}
