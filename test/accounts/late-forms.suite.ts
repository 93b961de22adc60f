import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { PASSWORD, accountsFile } from '../support/accounts.js';
import { BrowserClient } from '../support/browser-client.js';
import { changingCall } from '../support/changing-call.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const TENANT = '/tenants/acme';
const CLERK = '/console/accounts/clerk';

describe('a form for which another administrator was faster', () => {
  let server: TestServer;
  let us: BrowserClient;
  let them: BrowserClient;
  beforeAll(async () => {
    const accounts = accountsFile([{ name: 'bruno', role: 'admin' }]);
    server = await TestServer.start({ options: { accounts } });
    for (const tenant of ['acme', 'bank', 'shop', 'till'])
      await server.addRelyingParty(tenant, { domain: `${tenant}.example` });
    const by = { name: ADMIN.user, role: 'admin' } as const;
    const permissions = { role: 'helpdesk', tenants: ['acme'] } as const;
    await server
      .get(ConsoleAccounts)
      .create(changingCall(server, 'account.create', by), 'clerk', permissions, 'password');
    us = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
    them = await BrowserClient.signedIn(server.url, 'bruno', PASSWORD);
  });
  afterAll(() => server.stop());

  const SWITCH = /\/tenants\/\S+\/(?:on|off)(?=")/;
  const REMOVE = /\/tenants\/\S+\/remove(?=")/;

  it('a form for which another administrator was faster leads back to its page, which says who changed what', async () => {
    const { page, status, text } = await removeAfter(SWITCH, 'shop');
    expect(status).toBe(200);
    expect(noticeOf(text)).toContain('Nothing was done: bruno was faster');
    expect(noticeOf(text)).toMatch(/enabled: yes → no/);
    expect(text).toContain('hooks.example.com');
    expect(noticeOf((await us.open(page)).text)).toBe('');
  });

  it('redirects to the list if its target no longer exists', async () => {
    const { status, text } = await removeAfter(REMOVE, 'bank');
    expect(status).toBe(200);
    expect(noticeOf(text)).toContain('Nothing was done: bruno was faster');
    expect(text).not.toContain('hooks.example.com/</code>');
  });

  it.each([
    [CLERK, /\/console\/\S+\/_remove/, 'clerk', '<h1>Accounts</h1>'],
    [TENANT, /\/tenants\/\S+\/_remove/, 'acme', '<h1>Tenants</h1>'],
  ])(
    'a form for which another administrator was faster leads from the page of %s that no longer exists to the list',
    async (page, action, confirm, list) => {
      if (page === TENANT) {
        const party = `${TENANT}/acme.example`;
        const { text: html } = await them.open(party);
        const typed = { confirm: 'acme.example' };
        await send(them, party, { html, action: /\/tenants\/\S+\/remove/, typed });
      }
      const { text: html } = await us.open(page);
      const theirs = { html: (await them.open(page)).text, action, typed: { confirm } };
      expect((await send(them, page, theirs)).status).toBe(200);
      const { status, text } = await send(us, page, { html, action, typed: { confirm } });
      expect(status).toBe(200);
      expect(noticeOf(text)).toContain('Nothing was done: bruno was faster');
      expect(text).toContain(list);
    },
  );

  it('leaves a row of the refusal in the audit trail', async () => {
    await removeAfter(REMOVE, 'till');
    await removeAfter(SWITCH, 'till');
    const { text } = await us.open('/userapi/audit?action=webhook.remove&result=refused');
    expect(text).toContain('E0053R');
    expect(text).toContain('E0044R');
  });

  /** Sends the form of a page as it was shown. */
  async function send(
    who: BrowserClient,
    page: string,
    { html, action, typed = {} }: { html: string; action: RegExp; typed?: Record<string, string> },
  ) {
    const [address = ''] = action.exec(html) ?? [];
    const fields = { ...fieldsOfForm(html, address), ...typed };
    return who.submit(address, fields, { referer: server.url + page });
  }

  function noticeOf(html: string) {
    return (/<div class="notice bad"[^]*?<\/div><\/div>/.exec(html)?.[0] ?? '').replaceAll(
      /<[^>]*>/g,
      '',
    );
  }

  /** Their change of a tenant's new webhook, and then our form that removes it. */
  async function removeAfter(theirs: RegExp, tenant: string) {
    const page = `/tenants/${tenant}/_webhooks`;
    const typed = { url: 'https://hooks.example.com/', events: 'registration' };
    const { text: empty } = await them.open(page);
    const action = new RegExp(`${page}(?=")`);
    await send(them, page, { html: empty, action, typed });
    const { text: html } = await us.open(page);
    await send(them, page, { html: (await them.open(page)).text, action: theirs });
    return { page, ...(await send(us, page, { html, action: REMOVE })) };
  }
});
