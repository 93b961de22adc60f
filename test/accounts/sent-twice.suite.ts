import { DataSource } from 'typeorm';
import { BrowserClient, type FormFields, type Shown } from '../support/browser-client.js';
import { adminClient } from '../support/client.js';
import { DATABASES, type DatabaseName, type TestDatabase } from '../support/databases.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { settle } from '../support/people.js';
import { relyingPartyOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ADMIN, FAST, TestServer } from '../support/test-server.js';

/** Less than ends a session. */
const AHEAD_MS = 10 * 60_000;

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

const FORMS: readonly SecretForm[] = [
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
    page: '/console/accounts/heidi',
    action: /\/console\/\S+\/_reset/,
    otherwise: { start: 'password' },
  },
];

/** What the page shows once. */
const secretsIn = ({ text }: Shown): readonly string[] =>
  text.match(/sfk_[\w-]{49}|class="secret"[^>]*>[^<]*|\/enrol\?[^<"\s]+/g) ?? [];

/** Lets no answer be kept. */
const KEEPS_NONE: Readonly<Record<DatabaseName, string>> = {
  SQLite: `CREATE TRIGGER keeps_none BEFORE UPDATE ON secrets WHEN OLD.name LIKE 'once %'
    BEGIN SELECT RAISE(ABORT, 'no'); END`,
  MariaDB: `CREATE TRIGGER keeps_none BEFORE UPDATE ON secrets FOR EACH ROW
    IF OLD.name LIKE 'once %' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF`,
};

describe.each(DATABASES)('a form that is sent twice, on two servers with %s', (kind) => {
  let database: TestDatabase;
  let servers: readonly TestServer[];
  let first: BrowserClient;
  let second: BrowserClient;

  beforeAll(async () => {
    database = await createServerDatabase(kind);
    const here = await TestServer.start({ database, speed: FAST });
    const there = await TestServer.start({ database, speed: FAST });
    servers = [here, there];
    await settle(here, relyingPartyOf(here, 'localhost'), [{ username: 'ada' }]);
    first = await BrowserClient.signedIn(here.url, ADMIN.user, ADMIN.password);
    second = first.at(there.url);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.remove();
  });

  const rowsWith = async (action: string) => {
    const { body } = await adminClient(String(servers[0]?.url)).get(
      `/userapi/audit?action=${action}&result=ok`,
    );
    return (body['entries'] as unknown[]).length;
  };

  it('keeps its answer beside an instance whose clock is ahead', async () => {
    const page = '/tenants/default/_keys';
    const ahead = servers[1] as TestServer;
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
    const source = servers[0]?.get(DataSource);
    await source?.query(KEEPS_NONE[kind]);
    try {
      expect(secretsIn(await first.submit(page, fields))).not.toEqual([]);
    } finally {
      await source?.query('DROP TRIGGER keeps_none');
    }
    const again = await second.submit(page, fields);
    expect(again.status).toBe(503);
    expect(secretsIn(again)).toEqual([]);
    expect(await rowsWith('application-key.issue')).toBe(rows + 1);
  });

  it.each(FORMS)('$audited, $page: makes one secret and shows it again', async (form) => {
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
});
