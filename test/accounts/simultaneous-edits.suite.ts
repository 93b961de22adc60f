import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { VisibleAccounts } from '../../src/accounts/visible-accounts.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { PASSWORD, accountsFile } from '../support/accounts.js';
import { BrowserClient, type FormFields, type Shown } from '../support/browser-client.js';
import { changingCall } from '../support/changing-call.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { fieldsOfForm, noticeIn } from '../support/page-forms.js';
import { createServerDatabase } from '../support/server-database.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const PERMISSIONS = { role: 'helpdesk', tenants: ['acme'] } as const;
const CLERK = '/console/accounts/clerk';
const PARTY = '/tenants/acme/acme.example';

describe.each(DATABASES)('two administrators who edit the same page on %s', (on) => {
  let database: TestDatabase;
  let servers: readonly [TestServer, TestServer];
  let us: BrowserClient;
  let them: BrowserClient;
  beforeAll(async () => {
    database = await createServerDatabase(on);
    const accounts = accountsFile([{ name: 'bruno', role: 'admin' }]);
    const start = () => TestServer.start({ database, options: { accounts } });
    servers = [await start(), await start()];
    const [here] = servers;
    await here.addRelyingParty('acme', { domain: 'acme.example' });
    await here.addRelyingParty('shop', { domain: 'shop.example' });
    await here
      .get(ConsoleAccounts)
      .create(changingCall(here, 'account.create'), 'clerk', PERMISSIONS, 'password');
    us = await signedIn(here, ADMIN.user, ADMIN.password);
    them = await signedIn(servers[1], 'bruno', PASSWORD);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.remove();
  });

  describe.each(edits())(
    'of $title',
    ({ page, action, removal, member, rivals, theirs, ours, says, read, reset, ...states }) => {
      const typed = { [member]: rivals[1] };

      beforeEach(() => reset(servers[0]));

      it('shows the later account the changes of the other, and saves both with the next submit', async () => {
        expect(await stored()).toMatchObject(states.before);
        const shown = await us.open(page);
        expect((await send(them, await them.open(page), theirs)).status).toBe(200);
        const late = await send(us, shown, ours);
        expect(late.status).toBe(412);
        const [what, from, to] = says;
        const notice = noticeIn(late);
        expect(notice).toContain('Not saved yet');
        expect(notice).toContain(`${what}: ${from}`);
        expect(notice).toContain(`→ ${to} (by bruno)`);
        expect(await stored()).toMatchObject(states.withTheirs);
        const again = await send(us, late, {});
        expect(again.status).toBe(200);
        expect(await stored()).toMatchObject(states.withBoth);
      });

      it('saves one of two forms that arrive at once', async () => {
        let [now, ...next] = rivals;
        for (let round = 0; round < 4; round += 1) {
          const pages = [await us.open(page), await them.open(page)] as const;
          expect(fieldsOfForm(pages[0].text, action)[member]).toEqual([now]);
          const answers = await Promise.all([
            send(us, pages[0], { [member]: next[0] }),
            send(them, pages[1], { [member]: next[1] }),
          ]);
          expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
          const winner = answers.findIndex(({ status }) => status === 200);
          const [won = '', lost = ''] = winner === 0 ? next : next.toReversed();
          expect(noticeIn(answers[1 - winner] as Shown)).toContain('Not saved yet');
          [now, ...next] = [won, now, lost];
        }
      });

      it('changes once, and says so, if the same form is sent twice', async () => {
        const shown = await us.open(page);
        const answers = [await send(us, shown, typed), await send(us, shown, typed)];
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        expect(fieldsOfForm((await us.open(page)).text, action)[member]).toEqual([rivals[1]]);
      });

      it('is not deleted from a page that shows an older state', async () => {
        const shown = await us.open(page);
        expect((await send(them, await them.open(page), typed)).status).toBe(200);
        const [address, confirm] = removal;
        const late = await us.submit(address, { ...fieldsOfForm(shown.text, address), confirm });
        expect(late.status).toBe(412);
        expect(late.text).toContain('Another change was made first, so this one was not made.');
        expect(await stored()).toBeDefined();
      });

      function send(client: BrowserClient, shown: Shown, typed: FormFields) {
        return client.submit(action, { ...fieldsOfForm(shown.text, action), ...typed });
      }

      function stored() {
        return read(servers[0]);
      }
    },
  );

  async function signedIn({ url }: TestServer, name: string, password: string) {
    const client = new BrowserClient(url);
    await client.signIn(name, password);
    return client;
  }
});

function readParty(server: TestServer) {
  return server.get(TenancyService).relyingParty('acme', 'acme.example');
}

async function readPermissions(server: TestServer) {
  const { account, needsKey } = await server.get(VisibleAccounts).find('clerk');
  return { role: account.role, tenants: account.tenants, needsKey };
}

function readTenant(server: TestServer) {
  return server.get(TenancyService).tenant('acme');
}

function edits(): readonly Edit[] {
  return [
    {
      title: 'the name of a tenant',
      removal: ['/tenants/acme/_remove', 'acme'],
      member: 'displayName',
      rivals: ['acme', 'One', 'Two'],
      page: '/tenants/acme',
      action: '/tenants/acme/_rename',
      read: readTenant,
      reset: (server) => server.get(TenancyService).changeTenant(server.call, 'acme', 'acme'),
      theirs: { displayName: 'Theirs' },
      ours: { displayName: 'Ours' },
      says: ['Display name', 'acme', 'Theirs'],
      before: { displayName: 'acme' },
      withTheirs: { displayName: 'Theirs' },
      withBoth: { displayName: 'Ours' },
    },
    {
      title: 'a relying party',
      removal: [`${PARTY}/remove`, 'acme.example'],
      member: 'userVerification',
      rivals: ['preferred', 'required', 'discouraged'],
      page: PARTY,
      action: PARTY,
      read: readParty,
      reset: (server) => {
        const change = { name: 'acme.example', policy: { userVerification: 'preferred' } } as const;
        return server
          .get(TenancyService)
          .changeRelyingParty(server.call, 'acme', 'acme.example', change);
      },
      theirs: { userVerification: 'required' },
      ours: { name: 'Ours' },
      says: ['User verification', 'enforced: asked for where possible', 'enforced: required'],
      before: { name: 'acme.example', policy: { userVerification: 'preferred' } },
      withTheirs: { name: 'acme.example', policy: { userVerification: 'required' } },
      withBoth: { name: 'Ours', policy: { userVerification: 'required' } },
    },
    {
      title: 'the permissions of an account',
      removal: [`${CLERK}/_remove`, 'clerk'],
      member: 'role',
      rivals: ['helpdesk', 'finance', 'auditor'],
      page: CLERK,
      action: `${CLERK}/_change`,
      read: readPermissions,
      reset: (server) =>
        server
          .get(ConsoleAccounts)
          .change(changingCall(server, 'account.change'), 'clerk', PERMISSIONS),
      theirs: { role: 'finance' },
      ours: { tenants: ['acme', 'shop'] },
      says: ['Role', 'help desk', 'finance'],
      before: { role: 'helpdesk', tenants: ['acme'] },
      withTheirs: { role: 'finance', tenants: ['acme'] },
      withBoth: { role: 'finance', tenants: ['acme', 'shop'] },
    },
  ];
}

/** A form that two administrators send, each with another member changed. */
interface Edit {
  readonly title: string;
  readonly page: string;
  readonly action: string;
  readonly theirs: FormFields;
  readonly ours: FormFields;
  /** What the notice shows of their change: what, from, to. */
  readonly says: readonly [string, string, string];
  /** The form that deletes it, and what is typed there. */
  readonly removal: readonly [action: string, confirm: string];
  /** A member that both change, its value before each test, and two others. */
  readonly member: string;
  readonly rivals: readonly [string, string, string];
  readonly read: (server: TestServer) => Promise<object | undefined>;
  /** Stores the state before each test. */
  readonly reset: (server: TestServer) => Promise<unknown>;
  readonly before: object;
  readonly withTheirs: object;
  readonly withBoth: object;
}
