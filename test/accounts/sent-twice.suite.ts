import { randomUUID } from 'node:crypto';
import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { BrowserClient, type FormFields, type Shown } from '../support/browser-client.js';
import { changingCall } from '../support/changing-call.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { refusingRows } from '../support/refused-rows.js';
import { ADMIN, FAST, TestServer } from '../support/test-server.js';

/** Less than ends a session. */
const AHEAD_MS = 10 * 60_000;

const WEBHOOK = { tenant: 'default', url: 'https://old.example.com/', events: ['registration'] };

/** The rows of kept answers. */
const KEPT = { when: 'UPDATE ON secrets', row: "OLD.name LIKE 'once %'" };

describe.each(DATABASES)('a form that is sent twice, on two servers with %s', (on) => {
  let here: TestServer;
  let there: TestServer;
  let first: BrowserClient;
  let second: BrowserClient;

  beforeAll(async () => {
    here = await TestServer.start({ on });
    there = await TestServer.start({ database: here.database });
    await settle(here, relyingPartyOf(here, 'localhost'), [{ username: 'ada' }]);
    const admin = adminClient(here.url);
    expect((await admin.post('/tenantapi/webhooks', WEBHOOK)).status).toBe(201);
    const permissions = { role: 'helpdesk' } as const;
    const creation = changingCall(here, 'account.create');
    await here.get(ConsoleAccounts).create(creation, 'judy', permissions, 'link');
    first = await BrowserClient.signedIn(here.url, ADMIN.user, ADMIN.password);
    second = first.at(there.url);
  });
  afterAll(async () => {
    await there.stop();
    await here.stop();
  });

  it('keeps its answer beside an instance whose clock is ahead', async () => {
    const page = '/tenants/default/_keys';
    const ahead = there;
    ahead.clock.advance(AHEAD_MS);
    const other = await BrowserClient.signedIn(ahead.url, ADMIN.user, ADMIN.password);
    const filledIn = async (client: BrowserClient, name: string) => {
      const { text } = await client.open(page);
      return { ...fieldsOfForm(text, page), name, scopes: 'ceremonies' };
    };
    const rows = await rowsWith('application-key.issue');
    const fields = await filledIn(first, 'kiosk');
    const secrets = secretsIn(await first.submit(page, fields));
    expect(secrets).not.toEqual([]);
    expect(secretsIn(await other.submit(page, await filledIn(other, 'bar')))).not.toEqual([]);
    ahead.clock.advance(-AHEAD_MS);
    expect(secretsIn(await first.submit(page, fields))).toEqual(secrets);
    expect(await rowsWith('application-key.issue')).toBe(rows + 2);
  });

  it('makes no second secret if its answer could not be kept', async () => {
    const page = '/tenants/default/_keys';
    const rows = await rowsWith('application-key.issue');
    const { text } = await first.open(page);
    const fields = { ...fieldsOfForm(text, page), name: 'lost', scopes: 'ceremonies' };
    const shown = await refusingRows(here, KEPT, () => first.submit(page, fields));
    expect(secretsIn(shown)).not.toEqual([]);
    // It soon ceases to wait for the answer, for which the others wait as long as a server does.
    const hasty = await TestServer.start({ database: here.database, speed: FAST });
    const again = await first.at(hasty.url).submit(page, fields);
    await hasty.stop();
    expect(again.status).toBe(503);
    expect(secretsIn(again)).toEqual([]);
    expect(await rowsWith('application-key.issue')).toBe(rows + 1);
  });

  it.each(secretForms())('$audited, $page: makes one secret and shows it again', async (form) => {
    const { audited, page, typed, otherwise } = form;
    const rows = await rowsWith(audited);
    const { text } = await first.open(page);
    const [action = ''] = form.action.exec(text) ?? [];
    const fields = { ...fieldsOfForm(text, action), ...typed };
    const atOnce = await Promise.all([first, second].map((one) => one.submit(action, fields)));
    const [secrets, ...others] = [...atOnce, await first.submit(action, fields)].map(secretsIn);
    expect(secrets).not.toEqual([]);
    expect(others).toEqual([secrets, secrets]);
    expect(await rowsWith(audited)).toBe(rows + 1);
    if (!otherwise) return;
    const other = secretsIn(await first.submit(action, { ...fields, ...otherwise }));
    expect(other).not.toEqual([]);
    expect(other).not.toEqual(secrets);
    expect(await rowsWith(audited)).toBe(rows + 2);
  });

  it('shows all links again of as many users as one form may invite', async () => {
    const page = '/userapi/user/invitations/list';
    const names = Array.from({ length: 500 }, () => `${randomUUID()}@corp.example.com`);
    const { text } = await first.open(page);
    const users = names.join('\n');
    const fields = { ...fieldsOfForm(text, page), rp: 'localhost', hours: '24', users };
    const fileOf = (shown: Shown) => /"data:text\/csv[^"]+"/.exec(shown.text)?.[0] ?? '';
    const file = fileOf(await first.submit(page, fields));
    expect(file.match(/enrol/g)).toHaveLength(500);
    expect(fileOf(await first.submit(page, fields)) === file).toBe(true);
  });

  async function rowsWith(action: string) {
    const { body } = await adminClient(here.url).get(`/userapi/audit?action=${action}&result=ok`);
    return (body['entries'] as unknown[]).length;
  }
});

/** What the page shows once. */
function secretsIn({ text }: Shown): readonly string[] {
  return text.match(/sfk_[\w-]{49}|class="secret"[^>]*>[^<]*|\/enrol\?[^<"\s]+/g) ?? [];
}

function secretForms(): readonly SecretForm[] {
  return [
    {
      audited: 'application-key.issue',
      page: '/tenants/default/_keys',
      action: /\/tenants\/default\/_keys/,
      typed: { name: 'till', scopes: 'ceremonies' },
      otherwise: { name: 'shop' },
    },
    {
      audited: 'application-key.issue',
      page: '/tenants/default/localhost/handover',
      action: /\/tenants\/\S+\/handover/,
    },
    {
      audited: 'webhook.create',
      page: '/tenants/default/_webhooks',
      action: /\/tenants\/default\/_webhooks(?=")/,
      typed: { url: 'https://hooks.example.com/', events: 'registration' },
      otherwise: { events: 'authentication' },
    },
    {
      audited: 'webhook.rotate',
      page: '/tenants/default/_webhooks',
      action: /\/tenants\/\S+\/secret(?=")/,
    },
    {
      audited: 'invitation.issue',
      page: '/userapi/user?name=ada&rp=localhost',
      action: /\/userapi\/user\/invitations(?=")/,
      otherwise: { hours: '2' },
    },
    {
      audited: 'account.create',
      page: '/console/accounts',
      action: /\/console\/accounts(?=" method)/,
      typed: { name: 'heidi', role: 'helpdesk' },
      otherwise: { name: 'ivan' },
    },
    {
      audited: 'account.reset',
      page: '/console/accounts/judy',
      action: /\/console\/\S+\/_reset/,
      otherwise: { start: 'password' },
    },
  ];
}

/** A form that makes a secret. */
interface SecretForm {
  readonly audited: string;
  readonly page: string;
  /** The form's address, as the page has it. */
  readonly action: RegExp;
  readonly typed?: FormFields;
  /** What is typed into the same page afterwards. */
  readonly otherwise?: FormFields;
}
