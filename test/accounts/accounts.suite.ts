import { jest } from '@jest/globals';
import type { ChangingCall } from '../../src/audit/audited.js';
import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { VisibleAccounts } from '../../src/accounts/visible-accounts.js';
import { Database } from '../../src/platform/database/database.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { PASSWORD, accountsFile, clientOf } from '../support/accounts.js';
import { changingCall } from '../support/changing-call.js';
import { commandsOn } from '../support/command.js';
import { BrowserClient, sendRaw, type Shown } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { ageSessions } from '../support/older-sessions.js';
import { lastAuditRow, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const ACCOUNTS = '/console/accounts';
const MINUTE_MS = 60_000;

describe.each(DATABASES)('an account that administrators manage on a page, over %s', (on) => {
  let server: TestServer;
  let other: TestServer;
  let admin: BrowserClient;

  beforeAll(async () => {
    const accounts = accountsFile([
      { name: 'filed', role: 'helpdesk' },
      { name: 'acme-admin', role: 'admin', tenants: ['acme'] },
      { name: 'bank-admin', role: 'admin', tenants: ['bank'] },
    ]);
    server = await TestServer.start({ on, options: { accounts } });
    other = await TestServer.start({ database: server.database, options: { accounts } });
    for (const tenant of ['acme', 'bank', 'shop']) {
      await server.get(TenancyService).addTenant(server.call, { tenant, displayName: tenant });
    }
    admin = await signedIn(ADMIN.user, ADMIN.password);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  it('an account is created without a password, which its owner chooses for browsers and programs', async () => {
    const password = await create('anna', 'helpdesk');
    expect(await lastAuditRow(server)).toMatchObject({ account: 'anna', action: 'account.setup' });
    const stored = await rowsOf<object>(server, 'SELECT * FROM console_accounts');
    expect(JSON.stringify(stored)).not.toContain(password);
    expect((await admin.open(`${ACCOUNTS}/anna`)).text).not.toContain(password);
    const anna = await signedIn('anna', password);
    expect((await anna.open('/userapi')).status).toBe(200);
    expect((await anna.open(ACCOUNTS)).status).toBe(403);
    expect(await may('anna', password)).toBe(200);
  });

  it('an account is listed among others by name, page by page', async () => {
    const { account } = await server.get(VisibleAccounts).find(ADMIN.user);
    const names = Array.from({ length: 60 }, (_, n) => `page-${String(n).padStart(2, '0')}`);
    for (const name of names) {
      await server
        .get(ConsoleAccounts)
        .create(changingCall(server, 'account.create', account), name, { role: 'auditor' }, 'link');
    }
    const shownBy = async (client: BrowserClient) => {
      const pages: string[][] = [];
      for (let path: string | undefined = ACCOUNTS; path !== undefined;) {
        const { text } = await client.open(path);
        const rows = text.matchAll(/<th scope="row"><a href="[^"]*\/([^/"]+)"/g);
        pages.push([...rows].map(([, name]) => String(name)));
        const next = /class="pager" href="([^"]+)" rel="next">Next page</.exec(text)?.[1];
        path = next?.replaceAll('&#x3D;', '=');
        expect(text.includes('rel="first">First page<')).toBe(pages.length > 1);
      }
      return pages;
    };
    const pages = await shownBy(admin);
    expect(pages.map(({ length }) => length)).toEqual([50, expect.any(Number)]);
    const all = pages.flat();
    expect(all).toEqual([...new Set(all)].sort((a, b) => a.localeCompare(b)));
    expect(all).toEqual(expect.arrayContaining([...names, ADMIN.user, 'filed', 'bank-admin']));
    const limited = await signedIn('bank-admin', PASSWORD);
    expect(await shownBy(limited)).toEqual([['bank-admin']]);
    for (const name of names)
      await server
        .get(ConsoleAccounts)
        .remove(changingCall(server, 'account.remove', account), name);
  });

  it('changes its role at all instances at once, in sessions and with HTTP Basic', async () => {
    const password = await create('carl', 'helpdesk');
    const carl = await signedIn('carl', password);
    expect(await may('carl', password)).toBe(200);
    await admin.open(`${ACCOUNTS}/carl`);
    await admin.submit(`${ACCOUNTS}/carl/_change`, { role: 'finance', tenants: 'acme' });
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'account.change',
      detail: {
        'role before': '"helpdesk"',
        'role after': '"finance"',
        'tenants before': '',
        'tenants after': '["acme"]',
      },
    });
    const { text: trail } = await admin.open('/userapi/audit');
    expect(trail).toMatch(/<dt>tenants<\/dt>[^]*?all tenants[^]*?→[^]*?acme/);
    expect((await carl.open('/')).status).toBe(401);
    expect(await may('carl', password)).toBe(403);
    expect(await may('carl', password, '/userapi/invoice')).toBe(200);
  });

  it('an account gets only the tenants of the form, even if one of them is created at the same time', async () => {
    const accounts = server.get(ConsoleAccounts);
    const visible = server.get(VisibleAccounts);
    const tenancy = server.get(TenancyService);
    const { account: operator } = await visible.find(ADMIN.user);
    await tenancy.addTenant(server.call, { tenant: 'again' });
    const limited = { role: 'auditor', tenants: ['again'] } as const;
    await accounts.create(
      changingCall(server, 'account.create', operator),
      'ines',
      limited,
      'link',
    );
    await tenancy.removeTenant(server.call, 'again');
    const tenantsOf = visible.tenantsOf.bind(visible);
    const reading = jest.spyOn(visible, 'tenantsOf').mockImplementationOnce(async (by) => {
      const found = await tenantsOf(by);
      await tenancy.addTenant(server.call, { tenant: 'again' });
      return found;
    });
    await accounts.change(changingCall(server, 'account.change', operator), 'ines', {
      ...limited,
      role: 'admin',
    });
    expect(reading).toHaveBeenCalledTimes(1);
    reading.mockRestore();
    const { account } = await visible.find('ines');
    expect(account).toMatchObject({ role: 'admin', tenants: ['again'] });
  });

  it('an account loses a removed tenant, and does not see the next one of that name', async () => {
    const tenancy = server.get(TenancyService);
    const accounts = other.get(VisibleAccounts);
    await tenancy.addTenant(server.call, { tenant: 'short-lived' });
    const password = await create('jana', 'admin', 'short-lived');
    await create('kurt', 'admin', 'acme,short-lived,shop');
    await tenancy.removeTenant(server.call, 'short-lived');
    await tenancy.addTenant(server.call, { tenant: 'short-lived' });
    const tenants = await clientOf(other.url, 'jana', password).get('/tenantapi/tenants');
    expect(tenants.body).toMatchObject({ tenants: [] });
    expect((await accounts.find('kurt')).account.tenants).toEqual(['acme', 'shop']);
    expect((await admin.open(`${ACCOUNTS}/jana`)).text).toMatch(/limited to <bdi>–</);
    // The administrators of other tenants still do not see the account.
    const limited = await signedIn('acme-admin', PASSWORD);
    expect((await limited.open(`${ACCOUNTS}/jana`)).status).toBe(404);
  });

  it.each(['created', 'changed'])(
    'accounts get no tenant that is removed while they are %s',
    async (how) => {
      const accounts = server.get(ConsoleAccounts);
      const { account: operator } = await server.get(VisibleAccounts).find(ADMIN.user);
      const tenancy = other.get(TenancyService);
      await tenancy.addTenant(other.call, { tenant: 'leaving' });
      const limited = { role: 'admin', tenants: ['leaving'] } as const;
      if (how === 'changed')
        await accounts.create(
          changingCall(server, 'account.create', operator),
          'lara',
          { ...limited, tenants: ['acme'] },
          'link',
        );
      const action = how === 'changed' ? 'account.change' : 'account.create';
      const call = changingCall(server, action, operator);
      const removing: ChangingCall = {
        ...call,
        commit: async (...change) => {
          await tenancy.removeTenant(other.call, 'leaving');
          return call.commit(...change);
        },
      };
      const change =
        how === 'changed'
          ? accounts.change(removing, 'lara', limited)
          : accounts.create(removing, 'lara', limited, 'link');
      await expect(change).rejects.toMatchObject({ problem: { reason: 'account.unknownTenant' } });
      if (how === 'changed')
        await accounts.remove(changingCall(server, 'account.remove', operator), 'lara');
    },
  );

  it('an account loses access at once when it is removed, and its name can be used again', async () => {
    const password = await create('dora');
    const dora = await signedIn('dora', password);
    expect(await may('dora', password)).toBe(200);
    await admin.open(`${ACCOUNTS}/dora`);
    const typo = await admin.submit(`${ACCOUNTS}/dora/_remove`, { confirm: 'Dora' });
    expect(typo.status).toBe(400);
    expect(typo.text).toContain('Nothing was removed.');
    const removed = await admin.submit(`${ACCOUNTS}/dora/_remove`, { confirm: 'dora' });
    expect(removed.text).toContain('The account is removed.');
    expect((await dora.open('/')).status).toBe(401);
    expect(await may('dora', password)).toBe(401);
    expect(await create('dora')).not.toBe(password);
  });

  it('an account gets a new password by a reset, which ends its sessions', async () => {
    const password = await create('emil');
    const emil = await signedIn('emil', password);
    await admin.open(`${ACCOUNTS}/emil`);
    const reset = await admin.submit(`${ACCOUNTS}/emil/_reset`, {});
    expect(await lastAuditRow(server)).toMatchObject({ action: 'account.reset', target: 'emil' });
    expect((await emil.open('/')).status).toBe(401);
    expect(await may('emil', password)).toBe(401);
    expect(await may('emil', await setUp(reset))).toBe(200);
  });

  it('an account can change its own password, which signs other browsers out', async () => {
    const password = await create('fritz');
    const fritz = await signedIn('fritz', password);
    const elsewhere = await signedIn('fritz', password);
    await fritz.open('/console/account');
    const change = (current: string, next: string, again = next) =>
      fritz.submit('/console/account/password', { current, password: next, again });
    const long = 'four words are good';
    expect((await change('wrong', long)).text).toContain('That is not your current password.');
    expect((await change(password, long, 'another one')).text).toContain(
      'two entries of the new password differ',
    );
    expect((await change(password, 'short')).text).toContain('Enter 12 to 256 characters.');
    expect((await elsewhere.open('/')).status).toBe(200);
    expect((await change(password, long)).text).toContain('Your password is changed.');
    expect((await fritz.open('/')).status).toBe(200);
    expect((await elsewhere.open('/')).status).toBe(401);
    expect(await may('fritz', password)).toBe(401);
    expect(await may('fritz', long)).toBe(200);
  });

  it('an account cannot be changed on the page if it is from the configuration', async () => {
    const { text } = await admin.open(`${ACCOUNTS}/filed`);
    expect(text).toContain('is defined in the server');
    expect(text).not.toContain('/filed/_change');
    for (const [what, fields] of [
      ['_change', { role: 'admin' }],
      ['_remove', { confirm: 'filed' }],
    ] as const) {
      expect((await admin.submit(`${ACCOUNTS}/filed/${what}`, fields)).status).toBe(400);
    }
    expect(await may('filed', PASSWORD)).toBe(200);
    const filed = await signedIn('filed', PASSWORD);
    await filed.open('/console/account');
    const fields = {
      current: PASSWORD,
      password: 'four words are good',
      again: 'four words are good',
    };
    expect((await filed.submit('/console/account/password', fields)).status).toBe(400);
  });

  it.each([
    ['the first administrator', ADMIN.user],
    ['one of the file', 'filed'],
    ['one of an application’s key', 'key:shop'],
    ['the command line', 'cli'],
    ['a user who follows an invitation', 'invitation'],
    ['a user', 'user'],
    ['the server', 'system'],
    ['a policy', 'policy'],
    ['none', ''],
  ])('an account cannot be created with the name of %s', async (_, name) => {
    const before = await rowsOf(server, 'SELECT name FROM console_accounts');
    await admin.open(ACCOUNTS);
    expect((await admin.submit(ACCOUNTS, { name, role: 'admin' })).status).toBe(400);
    expect(await rowsOf(server, 'SELECT name FROM console_accounts')).toEqual(before);
  });

  it('still signs in with a name that has been reserved since, which /status reports', async () => {
    const password = await create('renamed', 'auditor');
    const title = 'The name of an account is reserved.';
    expect((await admin.open('/status')).text).not.toContain(title);
    const sql = 'UPDATE console_accounts SET name = ? WHERE name = ?';
    const names = ['system', 'renamed'];
    const params = names.map((name) => Buffer.from(name));
    await server.get(Database).commit([{ sql, params }]);
    const old = await signedIn('system', password);
    expect((await old.open('/userapi/audit')).status).toBe(200);
    const { text } = await admin.open('/status');
    expect(text).toContain(title);
    expect(text).toMatch(/without an account: (?:<bdi>)?system/);
  });

  describe('an administrator of one tenant', () => {
    let limited: BrowserClient;
    beforeAll(async () => {
      limited = await signedIn('acme-admin', PASSWORD);
      await create('all-clerk', 'helpdesk');
      await create('shop-clerk', 'helpdesk', 'shop');
      await create('both-clerk', 'helpdesk', 'acme shop');
      await create('acme-clerk', 'helpdesk', 'acme');
      await limited.open(ACCOUNTS);
    });
    const permissionsOf = async (name: string) => {
      const sql = 'SELECT role, tenants, password FROM console_accounts WHERE name = ?';
      const [row] = await rowsOf<{ role: string; tenants: string | null; password: string }>(
        server,
        sql,
        Buffer.from(name),
      );
      return row;
    };

    it('an administrator of one tenant sees only accounts of that tenant and can choose only that tenant', async () => {
      const { status, text } = await limited.open(ACCOUNTS);
      expect(status).toBe(200);
      expect(text).toContain('acme-clerk');
      for (const hidden of ['all-clerk', 'shop-clerk', 'both-clerk', 'filed', 'value="shop"']) {
        expect(text).not.toContain(hidden);
      }
    });

    it('an administrator of one tenant has a link to the accounts in the menu', async () => {
      expect((await limited.open('/tenants')).text).toContain('href="/console/accounts"');
    });

    it('creates an account within the tenant, with any role', async () => {
      const fields = { name: 'acme-second', role: 'admin', tenants: 'acme' };
      const shown = await limited.submit(ACCOUNTS, fields);
      expect(shown.status).toBe(201);
      expect(await permissionsOf('acme-second')).toMatchObject({
        role: 'admin',
        tenants: '["acme"]',
      });
      expect(await may('acme-second', await setUp(shown), '/tenants/shop')).toBe(404);
    });

    it.each([
      ['all tenants', ''],
      ['another tenant', 'shop'],
      ['another tenant besides', 'acme shop'],
    ])('grants no permissions in %s', async (_, tenants) => {
      await limited.open(ACCOUNTS);
      const fields = { name: 'climber', role: 'helpdesk', tenants };
      const refused = await limited.submit(ACCOUNTS, fields);
      expect(refused.status).toBe(403);
      expect(refused.text).toMatch(
        /value="climber"[^]*id="tenants-error"[^]*tick at least one of your/,
      );
      expect(await permissionsOf('climber')).toBeUndefined();
      await limited.open(ACCOUNTS);
      const before = await permissionsOf('acme-clerk');
      const change = { role: 'admin', tenants };
      expect((await limited.submit(`${ACCOUNTS}/acme-clerk/_change`, change)).status).toBe(403);
      expect(await permissionsOf('acme-clerk')).toEqual(before);
    });

    it.each(['all-clerk', 'shop-clerk', 'both-clerk', 'filed', ADMIN.user])(
      'an administrator of one tenant can neither see, change, reset nor remove %s',
      async (name) => {
        const before = await permissionsOf(name);
        await limited.open(ACCOUNTS);
        const path = `${ACCOUNTS}/${name}`;
        for (const [what, fields] of [
          ['_change', { role: 'helpdesk', tenants: 'acme' }],
          ['_reset', {}],
          ['_remove', { confirm: name }],
          ['sessions/AAAAAAAAAAAAAAAAAAAAAA/_end', {}],
        ] as const) {
          await limited.open(ACCOUNTS);
          expect((await limited.submit(`${path}/${what}`, fields)).status).toBe(404);
        }
        expect((await limited.open(path)).status).toBe(404);
        expect(await permissionsOf(name)).toEqual(before);
      },
    );

    it('an administrator of one tenant is needed to create accounts, which help desk, auditor and programs may not', async () => {
      const password = await create('acme-auditor', 'auditor', 'acme');
      const auditor = await signedIn('acme-auditor', password);
      await auditor.open(ACCOUNTS);
      const fields = { name: 'climber', role: 'auditor', tenants: 'acme' };
      expect((await auditor.submit(ACCOUNTS, fields)).status).toBe(403);
      expect(await permissionsOf('climber')).toBeUndefined();
    });
  });

  it.each([
    ['helpdesk', '/userapi'],
    ['finance', '/userapi/invoice'],
    ['auditor', '/'],
  ])(
    'an account arrives after the sign-in at the page of its role: %s opens %s',
    async (role, first) => {
      const username = `first-${role}`;
      const password = await create(username, role);
      const answer = await sendRaw(`${server.url}/console/sign-in`, {
        method: 'POST',
        body: new URLSearchParams({ username, password }).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          origin: server.url,
        },
      });
      expect(answer.header('location')).toBe(first);
    },
  );

  it('an account sees only its own menu on error pages', async () => {
    const menu = await signedIn('menu', await create('menu'));
    for (const [path, status] of [
      ['/console/accounts', 403],
      ['/no-such-page', 404],
    ] as const) {
      const shown = await menu.open(path);
      expect(shown.status).toBe(status);
      expect(shown.text).toContain('href="/userapi"');
      expect(shown.text).not.toContain('<a href="/console/accounts"');
      expect(shown.text).not.toContain('<a href="/userapi/audit"');
      const [entries = ''] = /<nav[^]*?<\/nav>/.exec(shown.text) ?? [];
      for (const path of ['/status', '/demo', '/docs']) expect(entries).not.toContain(path);
      expect(shown.text).not.toMatch(/·\s*<\/p>/);
    }
  });

  it('an account cannot be created for an unknown tenant (E0045R)', async () => {
    await admin.open(ACCOUNTS);
    const fields = { name: 'lost', role: 'helpdesk', tenants: 'Nordbank AG' };
    const { status, text } = await admin.submit(ACCOUNTS, fields);
    expect(status).toBe(400);
    expect(text).toContain('There is no tenant &quot;Nordbank&quot;.');
  });

  it('an account cannot change its own role', async () => {
    const password = await create('gina', 'admin');
    const gina = await signedIn('gina', password);
    await gina.open(`${ACCOUNTS}/gina`);
    for (const [what, fields] of [
      ['_change', { role: 'helpdesk' }],
      ['_remove', { confirm: 'gina' }],
    ] as const) {
      expect((await gina.submit(`${ACCOUNTS}/gina/${what}`, fields)).status).toBe(400);
    }
    expect((await gina.open(ACCOUNTS)).status).toBe(200);
  });

  it('an account cannot reset itself', async () => {
    const password = await create('greta', 'admin');
    const greta = await signedIn('greta', password);
    expect((await greta.open(`${ACCOUNTS}/greta`)).text).not.toContain('/greta/_reset');
    expect((await greta.submit(`${ACCOUNTS}/greta/_reset`, {})).status).toBe(400);
    expect(await may('greta', password, '/userapi')).toBe(200);
  });

  describe('a name in another Unicode spelling', () => {
    const NAME = 'andr\u00e9';
    const SPELLED = 'andre\u0301';
    const path = `${ACCOUNTS}/${encodeURIComponent(SPELLED)}`;
    let password: string;
    beforeAll(async () => {
      password = await create(NAME, 'admin');
    });

    it('a name in another spelling begins a session that is listed and ended with the others', async () => {
      const spelled = await signedIn(SPELLED, password);
      const mine = await signedIn(NAME, password);
      const sessions = await rowsOf<{ account: string }>(
        server,
        "SELECT account FROM console_sessions WHERE account <> 'admin'",
      );
      expect(sessions.map(({ account }) => account)).toEqual(expect.arrayContaining([NAME, NAME]));
      expect(sessions.map(({ account }) => account)).not.toContain(SPELLED);
      await mine.open('/console/account');
      await mine.submit('/console/account/sessions/_end', {});
      expect((await spelled.open('/')).status).toBe(401);
    });

    it('a name in another spelling may not change, remove or reset the own account', async () => {
      const spelled = await signedIn(SPELLED, password);
      await spelled.open(path);
      for (const [what, fields] of [
        ['_change', { role: 'helpdesk' }],
        ['_remove', { confirm: SPELLED }],
        ['_reset', {}],
      ] as const) {
        expect((await spelled.submit(`${path}/${what}`, fields)).status).toBe(400);
      }
      expect(await may(NAME, password, '/userapi')).toBe(200);
    });

    it('a name in another spelling loses its sessions when another account changes it', async () => {
      const andre = await signedIn(NAME, password);
      await admin.open(path);
      await admin.submit(`${path}/_change`, { role: 'auditor' });
      const left = "SELECT id FROM console_sessions WHERE account NOT IN ('admin', 'greta')";
      expect((await andre.open('/')).status).toBe(401);
      expect(await rowsOf(server, `${left} AND account LIKE 'andr%'`)).toEqual([]);
      await admin.open(path);
      await admin.submit(`${path}/_change`, { role: 'admin' });
    });
  });

  it('an account is not created, changed, removed or reset from an old session', async () => {
    const password = await create('ida');
    const stale = await signedIn(ADMIN.user, ADMIN.password);
    await ageSessions(server, 16 * MINUTE_MS);
    for (const [path, fields] of [
      [ACCOUNTS, { name: 'intruder', role: 'admin' }],
      [`${ACCOUNTS}/ida/_change`, { role: 'admin' }],
      [`${ACCOUNTS}/ida/_remove`, { confirm: 'ida' }],
      [`${ACCOUNTS}/ida/_reset`, {}],
    ] as const) {
      await stale.open(path === ACCOUNTS ? ACCOUNTS : `${ACCOUNTS}/ida`);
      const refused = await stale.submit(path, fields);
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining('Sign in again: nothing was changed.'),
      ]);
    }
    expect(await may('ida', password)).toBe(200);
    expect(await may('intruder', password)).toBe(401);
    admin = await signedIn(ADMIN.user, ADMIN.password);
    expect(await create('intruder')).not.toBe('');
  });

  it('issues no application key from an old session, but by HTTP Basic', async () => {
    const stale = await signedIn(ADMIN.user, ADMIN.password);
    await ageSessions(server, 16 * MINUTE_MS);
    const fields = { name: 'left open', scopes: 'ceremonies' };
    for (const path of ['/tenants/default/_keys', '/tenants/default/localhost/handover']) {
      await stale.open(path);
      const refused = await stale.submit(path, fields);
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining('Sign in again: nothing was changed.'),
      ]);
    }
    expect(await rowsOf(server, 'SELECT id FROM application_keys')).toEqual([]);
    const fresh = await signedIn(ADMIN.user, ADMIN.password);
    const handover = '/tenants/default/localhost/handover';
    await fresh.open(handover);
    expect((await fresh.submit(handover, {})).status).toBe(201);
    const basic = clientOf(server.url, ADMIN.user, ADMIN.password);
    const key = { tenant: 'default', name: 'by a script', scopes: ['ceremonies'] };
    expect((await basic.post('/tenantapi/keys', key)).status).toBe(201);
    admin = await signedIn(ADMIN.user, ADMIN.password);
  });

  it('an account is created once by two simultaneous calls with one name', async () => {
    const by = { name: ADMIN.user, role: 'admin' } as const;
    const create = (at: TestServer) =>
      at
        .get(ConsoleAccounts)
        .create(changingCall(at, 'account.create', by), 'twin', { role: 'auditor' }, 'link');
    const made = await Promise.allSettled([server, other, server, other].map(create));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of made) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'E0045R' });
    }
  });

  it('servicefido account reset: gives an account a new password', async () => {
    const password = await create('hans');
    const hans = await signedIn('hans', password);
    const command = (name: string) => commandsOn(server.database)('account', 'reset', name);
    const { code, stdout } = await command('hans');
    expect(code).toBe(0);
    expect((await hans.open('/')).status).toBe(401);
    expect((await (await signedIn('hans', password)).open('/')).status).toBe(401);
    const again = await signedIn('hans', stdout.trim());
    expect((await again.open('/console/account')).text).toContain('Choose a password of your own');
    expect(
      await rowsOf(
        server,
        "SELECT role FROM audit WHERE action = 'account.reset' AND account = ?",
        Buffer.from('cli'),
      ),
    ).toHaveLength(1);
    const configured = await command(ADMIN.user);
    expect(configured.stdout).toContain('the one in the configuration');
    expect((await admin.open('/')).status).toBe(401);
    expect((await command('nobody')).code).not.toBe(0);
  });

  function signedIn(name: string, password: string) {
    return BrowserClient.signedIn(server.url, name, password);
  }

  /** The password that the owner of an account chooses by the link that a page shows. */
  async function setUp({ text }: Shown): Promise<string> {
    const token = /class="secret"[^>]*>[^<]+#([\w-]{20})</.exec(text)?.[1] ?? '';
    const password = `four words are ${token}`;
    const sent = { token, password, again: password };
    const done = await new BrowserClient(server.url).submit('/console/setup/finish', sent);
    expect(done.text).toContain('Your password is set');
    return password;
  }

  async function create(name: string, role = 'helpdesk', tenants = ''): Promise<string> {
    await admin.open(ACCOUNTS);
    const shown = await admin.submit(ACCOUNTS, { name, role, tenants });
    expect(shown.status).toBe(201);
    return setUp(shown);
  }

  async function may(name: string, password: string, path = '/userapi/users?search=a') {
    return (await clientOf(other.url, name, password).get(path)).status;
  }
});
