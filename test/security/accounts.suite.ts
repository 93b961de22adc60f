import { rmSync, writeFileSync } from 'node:fs';
import { Accounts } from '../../src/platform/access/accounts/accounts.js';
import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { plainText } from '../../src/platform/pages/languages/languages.js';
import { hashPassword } from '../../src/platform/access/basic/password-checks.js';
import { ACCOUNTS, accountsFile, clientOf, writeAccounts } from '../support/accounts.js';
import { adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ADMIN, FAST, TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';
const AUDIT = '/userapi/audit';

describe('additional accounts', () => {
  let file: string;
  let server: TestServer;
  beforeAll(async () => {
    file = accountsFile();
    server = await TestServer.start({ options: { accounts: file }, speed: FAST });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    writeAccounts(file, ACCOUNTS);
    server.get(Accounts).refresh();
  });

  const statusOf = async (name: string, password?: string) =>
    (await clientOf(server.url, name, password).get(AUDIT)).status;

  it('an account of the file signs in with its password, beside the first administrator', async () => {
    expect(await statusOf('auditor')).toBe(200);
    expect(await statusOf('auditor', 'wrong')).toBe(401);
    expect(await statusOf('Auditor')).toBe(401);
    expect(await statusOf('nobody')).toBe(401);
    expect((await adminClient(server.url).get(AUDIT)).status).toBe(200);
  });

  it('the accounts are read again when the file changes, and a deleted account loses access', async () => {
    expect(await statusOf('auditor')).toBe(200);
    const accounts = server.get(Accounts);
    const { version } = accounts;
    writeAccounts(file, [{ name: 'newcomer', role: 'auditor' }]);
    // Without sign-ins meanwhile: too many wrong ones would be refused for minutes.
    await eventually(() => expect(accounts.version).toBeGreaterThan(version));
    expect(await statusOf('newcomer')).toBe(200);
    expect(await statusOf('auditor')).toBe(401);
  });

  it('the accounts remain unchanged while the file has mistakes, which the log reports once', async () => {
    writeFileSync(file, 'accounts: [{ name: auditor, role: root }]');
    server.get(Accounts).refresh();
    server.get(Accounts).refresh();
    expect(await statusOf('auditor')).toBe(200);
    const said = server.logged.filter(({ msg }) => String(msg).includes('accounts[0] needs'));
    expect(said).toHaveLength(2); // the role and the password
    rmSync(file);
    server.get(Accounts).refresh();
    expect(await statusOf('auditor')).toBe(200);
  });

  it('the setup warns of an account that is limited to an unknown tenant, until there is the tenant', async () => {
    const unknown = async () =>
      (await server.get(SetupFindings).all())
        .filter(({ name }) => name === 'unknown-tenants')
        .map(({ title, text }) => [title, text].map((one) => plainText('en', one)));
    const right = { name: 'right', role: 'auditor', tenants: ['default'] } as const;
    const late = { name: 'late', role: 'admin', tenants: ['default', 'later', 'never'] } as const;
    writeAccounts(file, [right]);
    server.get(Accounts).refresh();
    expect(await unknown()).toEqual([]);
    writeAccounts(file, [right, late]);
    server.get(Accounts).refresh();
    expect(await unknown()).toEqual([
      [
        'An account is limited to a tenant that does not exist.',
        expect.stringContaining('name tenants that do not exist: late (later, never). '),
      ],
    ]);
    const admin = adminClient(server.url);
    for (const tenant of ['later', 'never']) await admin.post(TENANTS, { tenant });
    expect(await unknown()).toEqual([]);
  });

  it('an account has the role of the current file', async () => {
    const create = () => clientOf(server.url, 'auditor').post(TENANTS, { tenant: 'made' });
    expect((await create()).status).toBe(403);
    writeAccounts(file, [{ name: 'auditor', role: 'admin' }]);
    server.get(Accounts).refresh();
    expect((await create()).status).toBe(201);
  });

  it('the log reports a wrong sign-in with the address and without the name', async () => {
    await statusOf('some-password', 'wrong');
    // Jobs of the server log too.
    const line = server.logged.findLast(({ code }) => code === 'E0042R');
    expect(line).toMatchObject({ status: 401 });
    expect(line?.['detail']).toMatch(
      /^A sign-in from (127\.0\.0\.1|::1|::ffff:127\.0\.0\.1) failed\.$/,
    );
    expect(JSON.stringify(server.logged)).not.toContain('some-password');
  });
});

describe('floods of wrong sign-ins', () => {
  it('a flood of wrong sign-ins gets 429 and does not affect signed-in accounts', async () => {
    const accounts = accountsFile();
    // A name that does not exist is compared with the administrator's hash: each check takes as long as in operation.
    const adminPassword = await hashPassword(ADMIN.password);
    const options = { accounts, trustProxy: 1, adminPassword };
    const server = await TestServer.start({ options });
    const right = clientOf(server.url, 'auditor');
    expect((await right.get(AUDIT)).status).toBe(200);

    const from = (n: number) => ({ 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` });
    const wrong = (n: number, network: number) =>
      clientOf(server.url, `name ${n}`).get(AUDIT, from(network));
    const flood = Promise.all(Array.from({ length: 60 }, (_, n) => wrong(n, 200)));
    const others = Promise.all(Array.from({ length: 20 }, (_, n) => wrong(n, n)));
    expect((await right.get(AUDIT)).status).toBe(200);
    expect(new Set((await others).map(({ status }) => status))).toEqual(new Set([401]));
    const refusals = (await flood).filter(({ status }) => status !== 401);
    expect(refusals.length).toBeGreaterThan(20);
    for (const { status, headers } of refusals) {
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const stranger = await right.get(AUDIT, from(7));
    expect(stranger.status).toBe(200);
    await server.stop();
  });

  it('200 simultaneous requests of one client with the right password succeed', async () => {
    const server = await TestServer.start();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => adminClient(server.url).get(AUDIT)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await server.stop();
  });
});
