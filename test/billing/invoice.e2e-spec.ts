import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Invoice } from '../../src/billing/invoice.schema.js';
import { InvoiceLog } from '../../src/billing/invoice-log.js';
import { RollUp } from '../../src/billing/roll-up.js';
import { Database } from '../../src/database/database.js';
import { FormTokens } from '../../src/security/form-token.js';
import { Accounts } from '../../src/security/accounts.js';
import { ACCOUNTS, accountsFile, clientOf, writeAccounts } from '../support/accounts.js';
import { adminClient } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const DAY_MS = 86_400_000;
const INVOICE = '/userapi/invoice';
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const invoiceIn = ({ body }: Answer) => body['invoice'] as Invoice;
const tenantIn = (answer: Answer, name: string) =>
  invoiceIn(answer).tenants.filter(({ tenant }) => tenant === name);

describe.each(DATABASES)('invoices on %s', (on) => {
  let file: string;
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    file = await accountsFile();
    await writeAccounts(file, [
      ...ACCOUNTS,
      { name: 'limited', role: 'finance', tenants: ['acme'] },
    ]);
    server = await TestServer.start({ on, options: { accounts: file } });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.test' });
    await server.addRelyingParty('globex', { domain: 'globex.test' });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dirname(file), { recursive: true });
  });

  const today = () => dateOf(server.clock.now());
  const at = (domain: string) =>
    new FidoClient(server.url, { relyingParty: domain, origin: `https://${domain}` });
  const nextDay = () => {
    server.clock.advance(DAY_MS);
    return server.get(RollUp).catchUp();
  };
  /** Tenants are removed by the server's own time: the test's runs ahead. */
  const remove = async (tenant: string) => {
    const answer = await admin.send(`/tenantapi/tenants/${tenant}`, { method: 'DELETE' });
    expect(answer.status).toBe(200);
    const now = server.clock.now();
    await server.get(Database).commit(
      ['tenants', 'relying_parties'].map((table) => ({
        sql: `UPDATE ${table} SET closed_at = ? WHERE closed_at <> 0`,
        params: [now],
      })),
    );
  };
  const ask = (query = '', client = admin) => client.get(INVOICE + query);

  it('counts users, keys, registrations, sign-ins and active users of the month', async () => {
    const ann = at('acme.test');
    await ann.register('ann');
    await ann.signIn('ann');
    await ann.signIn('ann');
    await at('acme.test').register('bob');
    const answer = await ask();
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', errorMessage: '' } });
    expect(invoiceIn(answer)).toMatchObject({
      date: today(),
      period: { from: `${today().slice(0, 8)}01`, to: today() },
      currency: 'EUR',
    });
    expect(tenantIn(answer, 'acme')).toEqual([
      {
        tenant: 'acme',
        relyingParties: [
          {
            relyingParty: 'acme.test',
            users: 2,
            credentials: { enabled: 2, disabled: 0 },
            registrations: 2,
            authentications: 2,
            activeUsers: 2,
          },
        ],
        lines: [
          { item: 'base', quantity: 1, unitPrice: 4900, amount: 4900 },
          { item: 'activeUsers (1 to 100)', quantity: 2, unitPrice: 0, amount: 0 },
        ],
        total: 4900,
      },
    ]);
    expect(answer.body).not.toHaveProperty('invoice.number');
  });

  it('adds up: lines to tenants, tenants to the total', async () => {
    const { tenants, total } = invoiceIn(await ask());
    for (const tenant of tenants) {
      for (const { quantity, unitPrice, amount } of tenant.lines) {
        expect(amount).toBe(quantity * unitPrice);
      }
      expect(tenant.total).toBe(tenant.lines.reduce((sum, { amount }) => sum + amount, 0));
    }
    expect(total).toBe(tenants.reduce((sum, tenant) => sum + tenant.total, 0));
    expect(total).toBeGreaterThan(0);
  });

  it('gives a past date the same figures after users, keys and tenants are gone', async () => {
    await server.addRelyingParty('initech', { domain: 'initech.test' });
    const people = at('initech.test');
    await people.register('eve');
    await people.signIn('eve');
    await at('globex.test').register('dan');
    const date = today();
    await nextDay();
    const before = await ask(`?date=${date}`);
    expect(tenantIn(before, 'initech')).toHaveLength(1);
    await remove('initech');
    const change = { type: 'deluser', filter: 'dan' };
    const globex = { 'x-servicefido-relyingparty': 'globex.test' };
    expect((await admin.post('/userapi/manageusers', change, globex)).status).toBe(200);
    await nextDay();
    expect((await ask(`?date=${date}`)).text).toBe(before.text);
    const [after] = tenantIn(await ask(), 'globex');
    expect(after?.relyingParties[0]).toMatchObject({ users: 0, credentials: { enabled: 0 } });
  });

  it('leaves out tenants that the account may not see', async () => {
    const answer = await ask('', clientOf(server.url, 'limited'));
    expect(invoiceIn(answer).tenants.map(({ tenant }) => tenant)).toEqual(['acme']);
    expect(invoiceIn(answer).total).toBe(4900);
  });

  it.each([
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '0000-00-00',
    '20240101',
    '2024-1-1',
    '9999-12-31',
    '%D9%A2%D9%A0%D9%A2%D9%A4-01-01',
    '2024-01-01T00:00:00Z',
    '2024-01-01%20',
    '%20',
    '-2024-01-01',
    'x'.repeat(8_000),
  ])('AD21, E0045R: date=%s', async (date) => {
    expect(await ask(`?date=${date}`)).toMatchObject({
      status: 400,
      body: { errorCode: 'E0045R' },
    });
  });

  it.each(['?date=2024-01-01&date=2024-01-01', '?date[]=2024-01-01', '?date[a]=1'])(
    'reads %s as no date that was meant (AD21)',
    async (query) => {
      const answer = await ask(query);
      if (query.includes('[')) expect(invoiceIn(answer).date).toBe(today());
      else expect(answer.body.errorCode).toBe('E0045R');
    },
  );

  it('E0045R: tomorrow, and an invoicelog that is neither yes nor no', async () => {
    const tomorrow = dateOf(server.clock.now() + DAY_MS);
    expect((await ask(`?date=${tomorrow}`)).body.errorCode).toBe('E0045R');
    for (const word of ['YES', 'Yes', '1', '%20', 'yes&invoicelog=yes']) {
      expect((await ask(`?invoicelog=${word}`)).body.errorCode).toBe('E0045R');
    }
    expect(await countOf(server, 'invoices')).toBe(0);
  });

  it('a date and an invoicelog that are empty count as absent', async () => {
    const { body } = await ask('');
    expect((await ask('?date=&invoicelog=')).body).toEqual(body);
    expect((await admin.post(INVOICE, { date: '', invoicelog: '' })).body).toEqual(body);
    expect(await countOf(server, 'invoices')).toBe(0);
  });

  it('answers for a day before there was anything', async () => {
    expect(invoiceIn(await ask('?date=1969-02-28'))).toMatchObject({ tenants: [], total: 0 });
  });

  it('one number, no gap: 100 calls at once for one date (AD22)', async () => {
    const date = dateOf(server.clock.now() - DAY_MS);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ask(`?date=${date}&invoicelog=yes`)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(invoiceIn(answers[0] as Answer).number).toBe(1);
    const other = await ask(`?date=${dateOf(server.clock.now() - 2 * DAY_MS)}&invoicelog=yes`);
    expect(invoiceIn(other).number).toBe(2);
    expect(await countOf(server, 'invoices')).toBe(2);
  });

  it('keeps a numbered invoice byte for byte, under its SHA-256', async () => {
    const date = dateOf(server.clock.now() - DAY_MS);
    const issued = await admin.post(INVOICE, { date, invoicelog: 'yes' });
    expect(invoiceIn(issued).number).toBe(1);
    const stored = await admin.get('/userapi/invoices/1');
    expect(stored.text).toBe(issued.text);
    expect(stored.headers.get('content-type')).toMatch(/^application\/json/);
    const list = await admin.get('/userapi/invoices');
    const digest = createHash('sha256').update(issued.text).digest('hex');
    expect(list.body['invoices']).toMatchObject([
      { number: 2 },
      { number: 1, date, digest, issuedBy: ADMIN.user, total: invoiceIn(issued).total },
    ]);
    expect((await admin.get('/userapi/invoices/3')).body.errorCode).toBe('E0044R');
    for (const number of ['0', '01', 'x', '1e3']) {
      expect((await admin.get(`/userapi/invoices/${number}`)).body.errorCode).toBe('E0045R');
    }
  });

  it('hides numbered invoices of other tenants from a limited account', async () => {
    const limited = clientOf(server.url, 'limited');
    expect((await limited.get('/userapi/invoices/1')).body.errorCode).toBe('E0044R');
    expect((await limited.get('/userapi/invoices')).body['invoices']).toEqual([]);
    const own = await limited.get(`${INVOICE}?invoicelog=yes`);
    expect(await limited.get(`/userapi/invoices/${invoiceIn(own).number}`)).toMatchObject({
      status: 200,
      text: own.text,
    });
  });

  it('lets finance issue, an auditor only read, and the help desk neither', async () => {
    const statusOf = async (name: string, query = '') =>
      (await ask(query, clientOf(server.url, name))).status;
    expect(await statusOf('finance', '?invoicelog=yes')).toBe(200);
    expect(await statusOf('auditor')).toBe(200);
    expect(await statusOf('auditor', '?invoicelog=yes')).toBe(403);
    expect(await statusOf('helpdesk')).toBe(403);
    const audit = await rowsOf<{ result: string; detail: string }>(
      server,
      "SELECT result, detail FROM audit WHERE action = 'invoice.issue' ORDER BY seq DESC LIMIT 2",
    );
    expect(audit.map(({ result }) => result)).toEqual(['refused', 'ok']);
    expect(JSON.parse(audit[1]?.detail ?? '')).toEqual({ number: expect.any(Number) });
  });

  it('E0043R: does not issue for a page of another site, a prefetch or a HEAD', async () => {
    const before = await countOf(server, 'invoices');
    const query = `${INVOICE}?invoicelog=yes&date=2026-01-01`;
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { 'sec-purpose': 'prefetch' },
      { 'user-agent': 'Mozilla/5.0' },
    ]) {
      expect((await admin.get(query, headers)).body.errorCode).toBe('E0043R');
      const read = await admin.get(`${INVOICE}?date=2026-01-01`, headers);
      expect(read.status).toBe(200);
    }
    expect((await admin.send(query, { method: 'HEAD' })).status).toBe(403);
    expect(await countOf(server, 'invoices')).toBe(before);
  });

  it('issues from the page’s form, and leads to the stored invoice', async () => {
    const formToken = server.get(FormTokens).issue({ name: ADMIN.user, role: 'admin' });
    const submit = (fields: Record<string, string>) =>
      admin.send('/userapi/invoices', {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html' },
      });
    expect((await submit({ date: today() })).status).toBe(403);
    const answer = await submit({ date: today(), formToken });
    expect(answer.status).toBe(303);
    const page = await admin.get(answer.headers.get('location') ?? '', { accept: 'text/html' });
    expect(page.text).toMatch(/<h1>Invoice \d+<\/h1>/);
  });

  it('writes CSV whose amounts add up', async () => {
    const answer = await ask('', admin);
    const csv = await admin.get(INVOICE, { accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = parse<Record<string, string>>(csv.text, { columns: true });
    const sum = (record: string) =>
      rows
        .filter((row) => row['record'] === record)
        .reduce((total, { amount }) => total + Number(amount), 0);
    expect(sum('line')).toBe(invoiceIn(answer).total);
    expect(sum('tenant')).toBe(invoiceIn(answer).total);
    expect(sum('invoice')).toBe(invoiceIn(answer).total);
  });

  it('shows a page with the figures, the trend and the form', async () => {
    const { text } = await admin.get(INVOICE, { accept: 'text/html' });
    expect(text).toContain('<h2 id="tenant-0">acme</h2>');
    expect(text).toContain('€49.00');
    expect(text.match(/<tr data-month="/g)).toHaveLength(12);
    expect(text).toContain('name="formToken"');
    const auditor = await clientOf(server.url, 'auditor').get(INVOICE, { accept: 'text/html' });
    expect(auditor.text).not.toContain('name="formToken"');
  });

  it('names that are formulas or markup do nothing in CSV and pages (UP20)', async () => {
    const name = '=HYPERLINK("https://evil.test")<script>';
    const total = 0;
    const invoice: Invoice = {
      date: '2026-01-31',
      period: { from: '2026-01-01', to: '2026-01-31' },
      currency: 'EUR',
      tenants: [{ tenant: name, relyingParties: [], lines: [], total }],
      total,
    };
    const issuer = { name: `@SUM(A1)<b>`, role: 'admin' } as const;
    const { number } = await server.get(InvoiceLog).issue(invoice, issuer);
    for (const path of [`/userapi/invoices/${number}`, '/userapi/invoices']) {
      const csv = await admin.get(path, { accept: 'text/csv' });
      const cells = parse(csv.text, { columns: false }).flat();
      expect(cells.filter((cell) => /^[=+\-@\t]/.test(cell))).toEqual([]);
      expect(cells.some((cell) => cell.startsWith("'=HYP") || cell.startsWith("'@SUM"))).toBe(true);
      const page = await admin.get(path, { accept: 'text/html' });
      expect(page.text).toMatch(/&lt;(script|b)&gt;/);
      expect(page.text).not.toMatch(/(evil\.test"\)|\(A1\))</);
    }
  });

  it('estimates from counts and the last run', async () => {
    await ask();
    const answer = await admin.get('/userapi/invoiceest');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        errorMessage: '',
        estimateMs: expect.any(Number),
        basis: { events: expect.any(Number), lastRunMs: expect.any(Number) },
      },
    });
    expect(answer.body).toHaveProperty('basis.relyingParties', 4);
  });

  it('estimates for an account of one tenant from what that tenant has, and tells of no other', async () => {
    await server.addRelyingParty('small', { domain: 'small.test' });
    await server.addRelyingParty('large', { domain: 'large.test' });
    await writeAccounts(file, [{ name: 'small', role: 'finance', tenants: ['small', 'nobody'] }]);
    server.get(Accounts).refresh();
    const small = clientOf(server.url, 'small');
    const basis = async () => (await small.get('/userapi/invoiceest')).body['basis'];
    expect(await basis()).toEqual({ relyingParties: 1, events: 0, lastRunMs: null });
    for (const name of ['anna', 'ben', 'carl']) await at('large.test').register(name);
    expect(await basis()).toEqual({ relyingParties: 1, events: 0, lastRunMs: null });
    // One event is the new user, the other the key.
    await at('small.test').register('dora');
    expect(await basis()).toEqual({ relyingParties: 1, events: 2, lastRunMs: null });
  });
});
