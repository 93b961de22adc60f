import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { DataSource } from 'typeorm';
import type { Invoice } from '../../src/billing/invoices/invoice.answer.js';
import { DocumentStore } from '../../src/billing/invoices/document-store.js';
import { parseNumber, type DocumentNumber } from '../../src/billing/invoices/document-series.js';
import { DocumentReader } from '../../src/billing/invoices/document-reader.js';
import { InvoiceIssue } from '../../src/billing/invoices/invoice-issue.js';
import { issuedBanner } from '../../src/billing/invoice.view.js';
import type { Phrase } from '../../src/platform/pages/languages/phrase.js';
import { RollUp } from '../../src/billing/usage/roll-up.js';
import { Database } from '../../src/platform/database/database.js';
import { FormTokens } from '../../src/platform/access/form-token.js';
import { InvoiceEntity } from '../../src/billing/invoices/invoice.entity.js';
import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import { Accounts } from '../../src/platform/access/accounts/accounts.js';
import { ACCOUNTS, accountsFile, clientOf, writeAccounts } from '../support/accounts.js';
import { changingCall } from '../support/changing-call.js';
import { adminClient, type Answer, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, rowsOf } from '../support/rows.js';
import { fillTable } from '../support/schema/filled-table.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const DAY_MS = 86_400_000;
const INVOICE = '/userapi/invoice';
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const invoiceIn = ({ body }: Answer) => body['invoice'] as Invoice;
const storedIn = ({ body }: Answer) => body['stored'];

describe.each(DATABASES)('invoices on %s', (on) => {
  let file: string;
  let server: TestServer;
  let admin: Client;

  const today = () => dateOf(server.clock.now());
  const at = (domain: string) => new FidoClient(server.url, { relyingParty: domain });
  const ask = (query = '', client = admin) => client.get(INVOICE + query);

  describe('of a server with a few users', () => {
    beforeAll(start);
    afterAll(() => server.stop());

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
          displayName: 'acme',
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
          gross: 4900,
        },
      ]);
      expect(answer.body).not.toHaveProperty('invoice.number');
      expect(answer.body).not.toHaveProperty('stored');
    });

    it('an invoice’s lines add up to its tenants, and its tenants to the total', async () => {
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

    it('keeps the figures of a past date when users, keys and tenants are deleted', async () => {
      await server.addRelyingParty('initech', { domain: 'initech.test' });
      const users = at('initech.test');
      await users.register('eve');
      await users.signIn('eve');
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

    it('omits the tenants that the caller’s account may not see', async () => {
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
    ])('refuses date=%s (E0045R)', async (date) => {
      expect(await ask(`?date=${date}`)).toMatchObject({
        status: 400,
        body: { errorCode: 'E0045R' },
      });
    });

    it.each(['?date=2024-01-01&date=2024-01-01', '?date[]=2024-01-01', '?date[a]=1'])(
      'does not take the nested or repeated parameter %s for a date',
      async (query) => {
        const answer = await ask(query);
        if (query.includes('[')) expect(invoiceIn(answer).date).toBe(today());
        else expect(answer.body.errorCode).toBe('E0045R');
      },
    );

    it('refuses tomorrow’s date, and an invoicelog other than yes or no (E0045R)', async () => {
      const tomorrow = dateOf(server.clock.now() + DAY_MS);
      expect((await ask(`?date=${tomorrow}`)).body.errorCode).toBe('E0045R');
      for (const word of ['YES', 'Yes', '1', '%20', 'yes&invoicelog=yes']) {
        expect((await ask(`?invoicelog=${word}`)).body.errorCode).toBe('E0045R');
      }
      expect(await countOf(server, 'invoices')).toBe(0);
    });

    it('explains an invalid date to a browser, with a link back', async () => {
      const { status, text } = await admin.get(`${INVOICE}?date=2099-01-01`, {
        accept: 'text/html',
      });
      expect(status).toBe(400);
      expect(text).toContain('<a href="/userapi/invoice">Back</a>');
    });

    it('treats an empty date and an empty invoicelog as absent', async () => {
      const { body } = await ask('');
      expect((await ask('?date=&invoicelog=')).body).toEqual(body);
      expect((await admin.post(INVOICE, { date: '', invoicelog: '' })).body).toEqual(body);
      expect(await countOf(server, 'invoices')).toBe(0);
    });

    it('answers with a total of 0 for a day before any data', async () => {
      expect(invoiceIn(await ask('?date=1969-02-28'))).toMatchObject({ tenants: [], total: 0 });
    });

    it('exports amounts as CSV that add up to the total', async () => {
      const answer = await ask('', admin);
      const csv = await admin.get(INVOICE, { accept: 'text/csv' });
      expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
      const rows = parse<Record<string, string>>(csv.text, { columns: true });
      const sum = (record: string) =>
        rows
          .filter((row) => row['record'] === record && (record === 'line' || row['item'] === 'net'))
          .reduce((total, { amount }) => total + Number(amount), 0);
      const total = invoiceIn(answer).total / 100;
      expect([sum('line'), sum('tenant'), sum('invoice')]).toEqual([total, total, total]);
      expect(rows.find(({ record }) => record === 'line')).toMatchObject({
        unitPrice: '49.00',
        currency: 'EUR',
      });
      expect(csv.headers.get('content-disposition')).toContain(`invoice-preview-${today()}.csv`);
    });

    it('begins on the page with the last month, and says what its button stores', async () => {
      const { text } = await admin.get(INVOICE, { accept: 'text/html' });
      const [, shown = ''] = /<option value="([^"]*)" selected>/.exec(text) ?? [];
      const end = new Date(`${today().slice(0, 7)}-01`).getTime() - DAY_MS;
      expect(shown).toBe(dateOf(end));
      const now = await admin.get(`${INVOICE}?date=${today()}`, { accept: 'text/html' });
      expect(now.text).toMatch(/<button type="submit">Store interim statement up to \d/);
      expect(invoiceIn(await ask('')).date).toBe(today());
    });

    it('shows the figures, the trend and the form on a page', async () => {
      const { text } = await admin.get(`${INVOICE}?date=${today()}`, { accept: 'text/html' });
      expect(text).toContain('<h2 id="tenant-0"><bdi>acme</bdi></h2>');
      expect(text).toContain('€49.00');
      expect(text.match(/<tr data-month="/g)).toHaveLength(12);
      expect(text).toContain('name="formToken"');
      const path = `${INVOICE}?date=${today()}`;
      const auditor = await clientOf(server.url, 'auditor').get(path, { accept: 'text/html' });
      expect(auditor.text).not.toContain('name="formToken"');
    });
  });

  describe('that are stored', () => {
    beforeEach(start);
    afterEach(() => server.stop());

    it('numbers the documents of 100 simultaneous calls for one date without a gap', async () => {
      const query = `?date=${await midMonth()}&invoicelog=yes`;
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(query)));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(storedIn(answers[0] as Answer)).toMatchObject([
        { tenant: 'acme', kind: 'statement', number: 'S-1', total: 4900 },
        { tenant: 'default', kind: 'statement', number: 'S-2' },
        { tenant: 'globex', kind: 'statement', number: 'S-3' },
      ]);
      expect(await countOf(server, 'invoices')).toBe(3);
    });

    it('returns a stored document byte for byte, with its SHA-256', async () => {
      const date = await midMonth();
      await ask(`?date=${date}&invoicelog=yes`);
      const issued = await admin.post(INVOICE, { date, tenant: 'acme', invoicelog: 'yes' });
      expect(invoiceIn(issued)).toMatchObject({
        number: 'S-1',
        kind: 'statement',
        issuedOn: today(),
      });
      expect(invoiceIn(issued).tenants.map(({ tenant }) => tenant)).toEqual(['acme']);
      const stored = await admin.get('/userapi/invoices/S-1');
      expect(invoiceIn(stored)).toEqual(invoiceIn(issued));
      expect(stored.headers.get('content-type')).toMatch(/^application\/json/);
      const list = await admin.get('/userapi/invoices');
      const digest = createHash('sha256').update(stored.text).digest('hex');
      expect(list.body['invoices']).toMatchObject([
        { number: 'S-3' },
        { number: 'S-2' },
        { number: 'S-1', kind: 'statement', tenants: ['acme'], date, digest, issuedBy: ADMIN.user },
      ]);
      const before = await admin.get('/userapi/invoices?before=S-2');
      expect(before.body['invoices']).toMatchObject([{ number: 'S-1' }]);
      for (const number of ['4', 'S-5']) {
        expect((await admin.get(`/userapi/invoices/${number}`)).body.errorCode).toBe('E0044R');
      }
      for (const number of ['0', '01', 'x', '1e3', 'S-0', 's-1', 'S-1%20']) {
        expect((await admin.get(`/userapi/invoices/${number}`)).body.errorCode).toBe('E0045R');
      }
    });

    it('issues an invoice for each tenant on the last day of a completed month', async () => {
      const monthEnd = await nextMonth();
      await server.addRelyingParty('later', { domain: 'later.test' });
      await setTimes("UPDATE tenants SET created_at = ? WHERE name = 'later'");
      const answer = await ask(`?date=${monthEnd}&invoicelog=yes`);
      expect(storedIn(answer)).toMatchObject([
        { tenant: 'acme', kind: 'invoice', number: 1, total: 4900 },
        { tenant: 'default', kind: 'invoice', number: 2 },
        { tenant: 'globex', kind: 'invoice', number: 3 },
      ]);
      expect(answer.body).not.toHaveProperty('invoice.number');
      expect(invoiceIn(await ask(`?date=${monthEnd}&tenant=acme&invoicelog=yes`)).number).toBe(1);
      const later = await ask(`?date=${monthEnd}&tenant=later&invoicelog=yes`);
      expect(later).toMatchObject({ status: 200, body: { stored: [] } });
      const nobody = await ask(`?date=${monthEnd}&tenant=nobody`);
      expect(nobody.body.errorCode).toBe('E0044R');
    });

    it('cancels an invoice by a credit note, after which the month can be invoiced again', async () => {
      const date = await invoiceMonth();
      // A statement, which charges nobody.
      await ask(`?date=${dateOf(server.clock.now() - DAY_MS)}&tenant=acme&invoicelog=yes`);
      const cancel = (number: string, body: object = { reason: 'Wrong price' }) =>
        admin.post(`/userapi/invoices/${number}/cancel`, body);
      expect((await cancel('1', {})).body.errorCode).toBe('E0045R');
      const note = await cancel('1');
      expect(invoiceIn(note)).toMatchObject({
        kind: 'credit-note',
        number: 4,
        cancels: 1,
        reason: 'Wrong price',
        date,
        total: -4900,
        gross: -4900,
      });
      expect(invoiceIn(note).tenants[0]?.lines[0]).toMatchObject({
        unitPrice: 4900,
        amount: -4900,
      });
      expect((await cancel('1', { reason: 'Again' })).text).toBe(note.text);
      const { body: listed } = await admin.get('/userapi/invoices?tenant=acme');
      const bills = listed['invoices'] as { number: unknown; cancelledBy?: unknown }[];
      expect(bills.filter((one) => one.cancelledBy)).toMatchObject([{ number: 1, cancelledBy: 4 }]);
      for (const number of ['4', 'S-1']) {
        expect((await cancel(number)).body.errorCode).toBe('E0045R');
      }
      expect((await cancel('99')).body.errorCode).toBe('E0044R');
      const again = await ask(`?date=${date}&tenant=acme&invoicelog=yes`);
      expect(invoiceIn(again)).toMatchObject({ kind: 'invoice', number: 5, total: 4900 });
      const csv = await admin.get('/userapi/invoices/4', { accept: 'text/csv' });
      expect(csv.text).toContain('"-49.00"');
      expect(csv.headers.get('content-disposition')).toContain(`credit-note-4-acme-${date}.csv`);
    });

    it('stores no document while the clocks of the server and the database differ (E0052R)', async () => {
      const day = await nextMonth();
      const { number } = invoiceIn(await ask(`?date=${day}&tenant=globex&invoicelog=yes`));
      const ahead = await nextMonth();
      const kept = await countOf(server, 'invoices');
      const { now } = Date;
      Date.now = () => now() + 61_000;
      try {
        const answers = [
          await ask(`?date=${ahead}&tenant=globex&invoicelog=yes`),
          await ask(`?date=${today()}&tenant=globex&invoicelog=yes`),
          await admin.post(`/userapi/invoices/${number}/cancel`, { reason: 'Wrong' }),
        ];
        const isApart = on !== 'SQLite';
        for (const { status, body } of answers) {
          if (isApart) {
            expect(status).toBe(503);
            expect(body).toMatchObject({ errorCode: 'E0052R', reason: 'invoice.clock' });
          } else expect(status).toBe(200);
        }
        expect(await countOf(server, 'invoices')).toBe(isApart ? kept : kept + 3);
        expect((await ask(`?date=${day}&tenant=globex&invoicelog=yes`)).status).toBe(200);
        expect((await ask(`?date=${ahead}`)).status).toBe(200);
      } finally {
        Date.now = now;
      }
    });

    it('hides the documents of other tenants, and of an earlier tenant of the same name', async () => {
      await invoiceMonth();
      await ask(`?date=${dateOf(server.clock.now() - DAY_MS)}&tenant=acme&invoicelog=yes`);
      const limited = clientOf(server.url, 'limited');
      const numbers = async () =>
        ((await limited.get('/userapi/invoices')).body['invoices'] as { number: unknown }[]).map(
          ({ number }) => number,
        );
      expect((await limited.get('/userapi/invoices/2')).body.errorCode).toBe('E0044R');
      expect((await limited.get('/userapi/invoices/1')).status).toBe(200);
      expect((await numbers()).sort()).toEqual([1, 'S-1']);
      const refused = await limited.post('/userapi/invoices/2/cancel', { reason: 'Not mine' });
      expect(refused.body.errorCode).toBe('E0044R');
      const invoices = server.get(DataSource).getRepository(InvoiceEntity);
      const other = await invoices.findOneByOrFail({ series: 'invoice', number: 2 });
      const copies = Array.from({ length: 100 }, (_, n) => {
        const issuedAt = server.clock.now();
        return { ...other, number: 1000 + n, issuedAt, uniqueDigest: randomBytes(32) };
      });
      await invoices.save(copies);
      for (const query of ['', '?tenant=globex']) {
        expect((await limited.get(`/userapi/invoices${query}`)).body).not.toHaveProperty('next');
      }
      expect((await numbers()).sort()).toEqual([1, 'S-1']);
      await invoices.remove(copies);
      const date = today();
      await nextDay();
      await remove('acme');
      await nextDay();
      await server.addRelyingParty('acme', { domain: 'new-acme.test' });
      await setTimes("UPDATE tenants SET created_at = ? WHERE name = 'acme' AND closed_at = 0");
      expect(await numbers()).toEqual([]);
      expect(invoiceIn(await limited.get(`${INVOICE}?date=${date}`)).tenants).toEqual([]);
    });

    it('lets finance issue documents and an auditor read them, and the help desk do neither', async () => {
      await midMonth();
      const statusOf = async (name: string, query = '') =>
        (await ask(query, clientOf(server.url, name))).status;
      expect(await statusOf('finance', '?invoicelog=yes')).toBe(200);
      expect(await statusOf('auditor')).toBe(200);
      expect(await statusOf('auditor', '?invoicelog=yes')).toBe(403);
      expect(await statusOf('helpdesk')).toBe(403);
      const audit = await rowsOf<{ result: string; detail: string }>(
        server,
        "SELECT result, detail FROM audit WHERE action = 'invoice.issue' ORDER BY seq DESC LIMIT 3",
      );
      expect(audit.map(({ result }) => result)).toEqual(['refused', 'ok', 'ok']);
      for (const { detail } of audit.slice(1)) {
        expect(JSON.parse(detail)).toEqual({ numbers: expect.stringMatching(/^S-\d+$/) });
      }
    });

    it('stores no document for a page of another site, a prefetch or a HEAD request (E0043R)', async () => {
      const before = await countOf(server, 'invoices');
      const query = `${INVOICE}?invoicelog=yes&date=${today()}`;
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'null' },
        { 'sec-purpose': 'prefetch' },
        { 'user-agent': 'Mozilla/5.0' },
      ]) {
        expect((await admin.get(query, headers)).body.errorCode).toBe('E0043R');
        const read = await admin.get(`${INVOICE}?date=${today()}`, headers);
        expect(read.status).toBe(200);
      }
      expect((await admin.send(query, { method: 'HEAD' })).status).toBe(403);
      expect(await countOf(server, 'invoices')).toBe(before);
    });

    it('opens the stored invoice when the form of the page issues one', async () => {
      const date = await invoiceMonth();
      await ask('?invoicelog=yes');
      const formToken = server.get(FormTokens).issue({ name: ADMIN.user, role: 'admin' });
      const submit = (fields: Record<string, string>) =>
        admin.send('/userapi/invoices', {
          method: 'POST',
          body: new URLSearchParams(fields),
          headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html' },
        });
      expect((await submit({ date: today() })).status).toBe(403);
      const all = await submit({ date: today(), tenant: '', formToken });
      expect([all.status, all.headers.get('location')]).toEqual([303, '/userapi/invoices']);
      const list = await admin.get('/userapi/invoices', { accept: 'text/html' });
      // Statements of this day with the same figures are stored already.
      expect(list.text).toMatch(/Nothing was stored: all \d documents were stored before\./);
      const answer = await submit({ date: today(), tenant: 'globex', formToken });
      const page = await admin.get(answer.headers.get('location') ?? '', { accept: 'text/html' });
      expect(page.text).toMatch(/<h1>Statement S-\d+<\/h1>/);
      expect(page.text).toContain('Nothing was stored: this document was stored before.');
      const cancelled = await admin.send('/userapi/invoices/2/cancellation', {
        method: 'POST',
        body: new URLSearchParams({ reason: 'Not theirs', formToken }),
        headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html' },
      });
      const note = await admin.get(cancelled.headers.get('location') ?? '', {
        accept: 'text/html',
      });
      expect(note.text).toMatch(/<h1>Credit note \d+<\/h1>/);
      expect(note.text).toContain(
        'The invoice is cancelled: this credit note is stored permanently.',
      );
      await submit({ date, tenant: '', formToken });
      const again = await admin.get('/userapi/invoices', { accept: 'text/html' });
      expect(again.text).toMatch(/1 document is stored permanently. Stored already before: \d\./);
      await submit({ date, tenant: '', formToken });
      const thrice = await admin.get('/userapi/invoices', { accept: 'text/html' });
      expect(thrice.text).toMatch(/Nothing was stored: all \d documents were stored before\./);
      const found = await submit({ date, tenant: 'globex', formToken });
      const same = await admin.get(found.headers.get('location') ?? '', { accept: 'text/html' });
      expect(same.text).toContain('Nothing was stored: this document was stored before.');
      expect(again.text).toMatch(/Cancelled by <a href="\/userapi\/invoices\/\d+">credit note/);
      const acme = await admin.get('/userapi/invoices?tenant=acme', { accept: 'text/html' });
      expect(acme.text).toContain('<option value="acme" selected>');
      expect(acme.text).toContain('<option value="globex">');
      const ago = await admin.get(`${INVOICE}?date=2001-01-31`, { accept: 'text/html' });
      expect([ago.status, ago.text.includes('issue-heading')]).toEqual([200, false]);
      const taken = await admin.get('/userapi/invoices/2', { accept: 'text/html' });
      expect(taken.text).toMatch(/Cancelled by <a[^>]*>credit note/);
      const german = { accept: 'text/html', 'accept-language': 'de' };
      const inGerman = await admin.get(cancelled.headers.get('location') ?? '', german);
      expect(inGerman.text).toMatch(/<h1>Stornorechnung \d+<\/h1>/);
      const french = await admin.get('/userapi/invoices/2', {
        accept: 'text/html',
        'accept-language': 'fr',
      });
      expect(french.text).toContain('<h1>Facture 2</h1>');
      expect(french.text).toMatch(/Annulée par l’<a[^>]*>avoir/);
      expect(french.text).toMatch(/49,00\s€/);
      expect(taken.text).not.toContain('name="reason"');
    });

    it('names the month on the pages, and lists the stored invoices of that month', async () => {
      const date = await invoiceMonth();
      await admin.post('/userapi/invoices/1/cancel', { reason: 'Wrong price' });
      await ask(`?date=${date}&invoicelog=yes`);
      const show = async (path: string, language = 'en') =>
        (await admin.get(path, { accept: 'text/html', 'accept-language': language })).text;
      const monthIn = (language: string) =>
        new Date(date).toLocaleDateString(language, { month: 'long', year: 'numeric' });
      const stored = async (n: number) => {
        const text = await show(`${INVOICE}?date=${date}`);
        expect(text).toContain(
          `>${n} invoices</a> of <bdi>${monthIn('en')}</bdi> are stored already.`,
        );
        expect(text).toContain(`Store invoices for ${monthIn('en')}`);
        return text;
      };
      const link = /<a href="([^"]*)">3 invoices/.exec(await stored(3))?.[1];
      const listed = await show(String(link).replaceAll('&#x3D;', '=').replaceAll('&amp;', '&'));
      expect(listed.match(/<td data-label="Month">.*?<br>/g)).toEqual(
        Array(4).fill(`<td data-label="Month">${monthIn('en')}<br>`),
      );
      const { number } = invoiceIn(await ask(`?date=${date}&tenant=acme&invoicelog=yes`));
      await admin.post(`/userapi/invoices/${number}/cancel`, { reason: 'Wrong price' });
      await stored(2);
      expect(await show(`${INVOICE}?date=${today()}`)).not.toContain('stored already');
      expect(await show(`${INVOICE}?date=${date}`, 'de')).toMatch(
        new RegExp(
          `<tr data-month="${date.slice(0, 7)}">\\s*<th scope="row">${monthIn('de')}</th>`,
        ),
      );
    });

    it('escapes formulas and markup of names in CSV files and pages', async () => {
      const name = '=HYPERLINK("https://evil.test")<script>';
      const invoice: Invoice = {
        date: '2026-01-31',
        period: { from: '2026-01-01', to: '2026-01-31' },
        currency: 'EUR',
        tenants: [{ tenant: name, displayName: name, relyingParties: [], lines: [], total: 0 }],
        total: 0,
      };
      const draft = {
        tenantId: randomBytes(16),
        kind: 'invoice',
        uniqueDigest: randomBytes(32),
        invoice,
      } as const;
      const issuer = { name: `@SUM(A1)<b>`, role: 'admin' } as const;
      const call = changingCall(server, 'invoice.issue', issuer);
      const stored = await server.get(DocumentStore).store(call, draft);
      const { number } = stored.invoice;
      for (const path of [`/userapi/invoices/${number}`, '/userapi/invoices']) {
        const csv = await admin.get(path, { accept: 'text/csv' });
        const cells = parse(csv.text, { columns: false }).flat();
        const formulas = cells.filter((cell) => /^[=+\-@\t]/.test(cell));
        expect(formulas.filter((cell) => cell !== '-49.00')).toEqual([]);
        expect(cells.some((cell) => cell.startsWith("'=HYP") || cell.startsWith("'@SUM"))).toBe(
          true,
        );
        const page = await admin.get(path, { accept: 'text/html' });
        expect(page.text).toMatch(/&lt;(script|b)&gt;/);
        expect(page.text).not.toMatch(/(evil\.test"\)|\(A1\))</);
      }
    });

    it('estimates the duration of an invoice from counts and the last run', async () => {
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
      expect(answer.body).toHaveProperty('basis.relyingParties', 3);
      const page = await admin.get('/userapi/invoiceest', { accept: 'text/html' });
      expect(page.text).toMatch(/<h1>How long an invoice takes<\/h1>/);
    });

    it('estimates for an account of one tenant only that tenant’s part', async () => {
      await server.addRelyingParty('small', { domain: 'small.test' });
      await server.addRelyingParty('large', { domain: 'large.test' });
      writeAccounts(file, [{ name: 'small', role: 'finance', tenants: ['small', 'nobody'] }]);
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

    it('names each document in the audit row of the call that stored it', async () => {
      await nextDay();
      const issuer = server.get(InvoiceIssue);
      const call = changingCall(server, 'invoice.issue');
      const day = Math.floor(server.clock.now() / DAY_MS);
      const issued = await Promise.all(
        Array.from({ length: 5 }, () => issuer.issue(call, day, 'acme')),
      );
      const storedBy = issued.map(({ stored, foundStored }) => stored.length - foundStored);
      expect(issued[0]?.stored.length).toBeGreaterThan(0);
      expect(storedBy.reduce((sum, count) => sum + count)).toBe(issued[0]?.stored.length);
      const date = dateOf(server.clock.now());
      const rows =
        "audit WHERE action = 'invoice.issue' AND result = 'ok' AND tenant = ? AND target = ?";
      expect(await countOf(server, rows, Buffer.from('acme'), Buffer.from(date))).toBe(
        issued[0]?.stored.length,
      );
      for (const [n, one] of issued.entries()) {
        const { key } = issuedBanner(one).text as Phrase;
        expect(key === 'invoices:done.found').toBe(storedBy[n] === 0);
      }
    });
  });

  async function start() {
    file = accountsFile([...ACCOUNTS, { name: 'limited', role: 'finance', tenants: ['acme'] }]);
    server = await TestServer.start({ on, options: { accounts: file } });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.test' });
    await server.addRelyingParty('globex', { domain: 'globex.test' });
  }

  function nextDay() {
    server.clock.advance(DAY_MS);
    return server.get(RollUp).catchUp();
  }

  /** Moves the clock to the second day of the next month; returns the last day of the month before. */
  async function nextMonth() {
    const { clock } = server;
    const month = today().slice(0, 7);
    while (today().slice(0, 7) === month) await nextDay();
    await nextDay();
    return dateOf(clock.now() - 2 * DAY_MS);
  }

  /** Moves the clock to a day that is neither the first nor the last of its month; returns the day before. */
  async function midMonth() {
    const dayAfter = (days: number) => dateOf(server.clock.now() + days * DAY_MS).slice(8);
    do await nextDay();
    while (dayAfter(0) === '01' || dayAfter(1) === '01');
    return dateOf(server.clock.now() - DAY_MS);
  }

  /** Stores the invoices 1, 2 and 3 of a whole month for acme, default and globex; returns its last day. */
  async function invoiceMonth() {
    const date = await nextMonth();
    await ask(`?date=${date}&invoicelog=yes`);
    return date;
  }

  /** Tenants come and go by the server's own time: the test's runs ahead. */
  function setTimes(...statements: string[]) {
    return server
      .get(Database)
      .commit(statements.map((sql) => ({ sql, params: [server.clock.now()] })));
  }

  async function remove(tenant: string) {
    const answer = await admin.send(`/tenantapi/tenants/${tenant}`, { method: 'DELETE' });
    expect(answer.status).toBe(200);
    await setTimes(
      'UPDATE tenants SET closed_at = ? WHERE closed_at <> 0',
      'UPDATE relying_parties SET closed_at = ? WHERE closed_at <> 0',
    );
  }
});

describe('an invoice for bookkeeping', () => {
  const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  const billing = join(directory, 'billing.yaml');
  writeFileSync(
    billing,
    `
currency: EUR
issuer: { name: Example GmbH, address: [Hauptstrasse 1, 10115 Berlin], bank: IBAN DE00 }
logo: logo.svg
terms: Payable without deduction.
dueDays: 30
recipients: { default: { name: Acme AG, address: [Zürich], reference: PO-4711 } }
priceLists: [{ default: a, vat: { rate: 7.7 }, plans: { a: [{ item: base, price: 4905 }] } }]
`,
  );
  writeFileSync(join(directory, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  let server: TestServer;
  let admin: Client;
  beforeEach(async () => {
    server = await TestServer.start({ options: { billing } });
    admin = adminClient(server.url);
  });
  afterEach(() => server.stop());
  afterAll(() => rmSync(directory, { recursive: true }));

  /** Stores the invoice of the current month, on the second day of the next one. */
  async function invoiceMonth() {
    const today = new Date(server.clock.now());
    const date = dateOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0));
    server.clock.advance(Date.parse(date) + 2 * DAY_MS - server.clock.now());
    const answer = await admin.get(`${INVOICE}?date=${date}&tenant=default&invoicelog=yes`);
    return { date, answer };
  }

  it('the page of an invoice has the issuer’s logo, and the list the sum and what the XML needs', async () => {
    const { answer } = await invoiceMonth();
    expect(answer.text).not.toContain('data:image');
    const page = await admin.get('/userapi/invoices/1', { accept: 'text/html' });
    expect(page.text).toMatch(/<img src="data:image\/svg\+xml;base64,[^"]*" alt="">/);
    expect(page.text).toContain('id="no-xml"');
    const list = await admin.get('/userapi/invoices', { accept: 'text/html' });
    expect(list.text).toMatch(/Sum without statements<\/th>[^]*?€49\.05[^]*?€52\.83/);
    expect(list.text).toContain('<a href="/userapi/invoices/1#no-xml">XML needs buyer data</a>');
  });

  it('an invoice keeps its issuer, recipient, dates, terms, net, VAT and gross', async () => {
    const { date, answer } = await invoiceMonth();
    expect(invoiceIn(answer)).toMatchObject({
      number: 1,
      kind: 'invoice',
      total: 4905,
      gross: 5283,
      tenants: [{ total: 4905, vat: { rate: '7.7', amount: 378 }, gross: 5283 }],
      issuer: { name: 'Example GmbH', address: ['Hauptstrasse 1', '10115 Berlin'] },
      recipient: { name: 'Acme AG', reference: 'PO-4711' },
      issuedOn: dateOf(server.clock.now()),
      dueOn: dateOf(server.clock.now() + 30 * DAY_MS),
      terms: 'Payable without deduction.',
    });
    const { text } = await admin.get('/userapi/invoices/1', { accept: 'text/html' });
    for (const word of ['Acme AG', 'PO-4711', 'IBAN DE00', 'VAT 7.7%', '€3.78', '€52.83']) {
      expect(text).toContain(word);
    }
    server.clock.advance(DAY_MS);
    const again = await admin.get(`${INVOICE}?date=${date}&tenant=default&invoicelog=yes`);
    expect(again.text).toBe(answer.text);
  });

  it('a call without a date stores a statement, which says how to get the invoice', async () => {
    const answer = await admin.get(`${INVOICE}?tenant=default&invoicelog=yes`);
    const now = new Date(server.clock.now());
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    expect(answer.body['notice']).toBe(
      'Stored as a statement, which charges nothing. To store the invoice of the month, call with ' +
        `date=${dateOf(next - DAY_MS)}&invoicelog=yes, from ${dateOf(next)}T00:15Z on.`,
    );
  });

  it('the list of documents shows month, tenant, kind, VAT, gross and the month before', async () => {
    await invoiceMonth();
    await admin.get(`${INVOICE}?tenant=default&invoicelog=yes`);
    const { date: second } = await invoiceMonth();
    const list = async (query: string) =>
      (await admin.get(`/userapi/invoices?${query}`)).body['invoices'] as object[];
    expect(await list(`month=${second.slice(0, 7)}&kind=invoice&tenant=default`)).toMatchObject([
      {
        number: 2,
        from: `${second.slice(0, 8)}01`,
        recipient: 'Acme AG',
        gross: 5283,
        vat: { rate: '7.7', amount: 378 },
        lastMonth: 4905,
      },
    ]);
    expect(await list('kind=invoice')).toHaveLength(2);
    expect(await list('kind=statement')).toMatchObject([{ number: 'S-1' }]);
    expect(await list('tenant=nobody')).toEqual([]);
    for (const query of ['month=2026-13', 'month=2026', 'kind=bill']) {
      expect((await admin.get(`/userapi/invoices?${query}`)).body.errorCode).toBe('E0045R');
    }
  });

  it('the list of documents has no next page after exactly a hundred', async () => {
    const body = Buffer.from(JSON.stringify({ invoice: { period: {}, tenants: [] } }));
    const statement = { series: 'statement', kind: 'statement', body, tenants: '[]' };
    const list = (before?: DocumentNumber) =>
      server.get(DocumentReader).list(OPERATOR_ACCOUNT, before && { before });
    const numbers = Array.from({ length: 101 }, (_, n) => n + 1);
    const rows = numbers.map((number) => {
      return { ...statement, number, date: `${2000 + number}-01-31`, issued_at: number };
    });
    await fillTable(server, 'invoices', rows.slice(0, 100));
    const all = await list();
    expect(all.invoices).toHaveLength(100);
    expect(all).not.toHaveProperty('next');
    await fillTable(server, 'invoices', rows.slice(100));
    const first = await list();
    expect([first.invoices.length, first.next]).toEqual([100, 'S-2']);
    const last = await list(parseNumber('S-2'));
    expect(last.invoices).toMatchObject([{ number: 'S-1' }]);
    expect(last).not.toHaveProperty('next');
  });

  it('the list of documents compares with the last invoice of the month before that is not cancelled', async () => {
    const { date } = await invoiceMonth();
    const cancel = (number: number) =>
      admin.post(`/userapi/invoices/${number}/cancel`, { reason: 'Wrong price' });
    expect((await cancel(1)).status).toBe(200);
    await invoiceMonth();
    const newest = async () => {
      const { body } = await admin.get('/userapi/invoices?kind=invoice');
      return (body['invoices'] as { number: number }[]).find(({ number }) => number === 3);
    };
    expect(await newest()).not.toHaveProperty('lastMonth');
    expect((await admin.get(`${INVOICE}?date=${date}&tenant=default&invoicelog=yes`)).status).toBe(
      200,
    );
    expect(await newest()).toMatchObject({ lastMonth: 4905 });
  });

  it('the exported list has a row for each invoice, in a form that Excel opens', async () => {
    await invoiceMonth();
    await invoiceMonth();
    const path = '/userapi/invoices?kind=invoice&format=spreadsheet';
    const german = await admin.get(path, { 'accept-language': 'de' });
    expect(german.headers.get('content-disposition')).toContain('invoices.csv');
    const rows = parse<Record<string, string>>(german.text, {
      bom: true,
      columns: true,
      delimiter: ';',
    });
    expect(rows[1]).toMatchObject({
      Nummer: '1',
      Art: 'Rechnung',
      Mandant: 'default',
      Empfänger: 'Acme AG',
      Netto: '49,05',
      'USt. %': '7,7',
      'USt.': '3,78',
      Brutto: '52,83',
      Währung: 'EUR',
      Fällig: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    const french = await admin.get(path, { 'accept-language': 'fr' });
    const columns = 'Montant HT";"Taux de TVA (%)";"TVA";"Montant TTC';
    expect(french.text).toContain(columns);
    expect(french.text).toContain('"49,05";"7,7";"3,78";"52,83"');
    const english = await admin.get(path, { 'accept-language': 'en' });
    expect(english.text).toMatch(/"49.05","7.7","3.78","52.83"/);
    const forPrograms = await admin.get('/userapi/invoices', { accept: 'text/csv' });
    expect(forPrograms.text).toMatch(/^"number","kind","tenant","date","net"/);
  });
});

describe.each(DATABASES)('electronic invoices on %s', (on) => {
  const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  const billing = join(directory, 'billing.yaml');
  const postal = '{ street: Hauptstraße 1, postcode: "10115", city: Berlin, country: DE }';
  const recipient = (more: string) =>
    `{ name: Acme AG, address: [Berlin], postal: ${postal}, electronicAddress: "EM:in@acme.test"${more} }`;
  writeFileSync(
    billing,
    `
currency: EUR
issuer:
  name: Example GmbH
  address: [Hauptstraße 1, 10115 Berlin]
  vatId: DE123456789
  iban: DE02 1203 0000 0000 2020 51
  postal: ${postal}
  electronicAddress: EM:billing@example.com
  contact: { name: Accounts, phone: +49 30 1234567, email: billing@example.com }
dueDays: 30
recipients:
  default: ${recipient(', reference: PO-4711, electronic: ubl')}
  globex: ${recipient(', reference: PO-1, electronic: cii')}
  lacking: ${recipient(', electronic: ubl')}
priceLists: [{ default: a, vat: { rate: 19 }, plans: { a: [{ item: base, price: 4905 }] } }]
`,
  );
  const XML = { accept: 'application/xml' };
  let server: TestServer;
  let admin: Client;
  let monthEnd: string;
  const issue = (tenant?: string) =>
    admin.get(`${INVOICE}?date=${monthEnd}&invoicelog=yes${tenant ? `&tenant=${tenant}` : ''}`);
  const read = (number: number | string, headers = XML) =>
    admin.get(`/userapi/invoices/${number}`, headers);
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { billing } });
    admin = adminClient(server.url);
    for (const tenant of ['globex', 'lacking', 'paper']) {
      await server.addRelyingParty(tenant, { domain: `${tenant}.test` });
    }
    const now = new Date(server.clock.now());
    monthEnd = dateOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0));
    server.clock.advance(Date.parse(monthEnd) + 2 * DAY_MS - server.clock.now());
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  });

  it('stores no invoice while the data of any tenant are incomplete', async () => {
    const before = await countOf(server, 'invoices');
    const answer = await issue();
    expect(answer).toMatchObject({
      status: 400,
      body: { errorCode: 'E0045R', reason: 'invoice.buyerIncomplete' },
    });
    expect(answer.body.errorMessage).toContain('recipients.lacking.reference (BR-DE-15)');
    expect(await countOf(server, 'invoices')).toBe(before);
  });

  it.each([
    ['default', '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"'],
    ['globex', '<rsm:CrossIndustryInvoice '],
  ])('provides the XML of the invoice of %s, and lists its SHA-256', async (tenant, root) => {
    const { number = '' } = invoiceIn(await issue(tenant));
    const xml = await read(number);
    expect(xml).toMatchObject({ status: 200, text: expect.stringContaining(root) });
    expect(xml.headers.get('content-type')).toMatch(/^application\/xml/);
    expect(xml.headers.get('content-disposition')).toContain(
      `-${number}-${tenant}-${monthEnd}.xml`,
    );
    const xmlDigest = createHash('sha256').update(xml.text).digest('hex');
    const { body } = await admin.get('/userapi/invoices');
    expect(body['invoices']).toContainEqual(expect.objectContaining({ number, xmlDigest }));
    expect((await issue(tenant)).status).toBe(200);
    expect((await admin.get(`/userapi/invoices/${number}?format=xml`)).text).toBe(xml.text);
    expect((await read(number, { accept: 'text/html' })).text).toContain(
      'IBAN <bdi>DE02120300000000202051</bdi>',
    );
  });

  it.each(['\uffff', '\ufdd0', '\u{1fffe}', '\u0001'])(
    'refuses the reason of a cancellation with %j, which XML or Unicode forbids (E0045R)',
    async (character) => {
      const before = await server.snapshot();
      const body = { reason: `Wrong${character} price` };
      expectRefusal(await admin.post('/userapi/invoices/1/cancel', body), 'E0045R', 400);
      expect(await server.snapshot()).toEqual(before);
    },
  );

  it('provides the XML of a credit note', async () => {
    const { number } = invoiceIn(await issue('default'));
    const note = await admin.post(`/userapi/invoices/${number}/cancel`, {
      reason: 'Wrong <price>',
    });
    const xml = await read(invoiceIn(note).number ?? '');
    expect(xml.text).toContain('<cbc:Note>Wrong &lt;price&gt;</cbc:Note>');
    expect(xml.text).toContain('<cbc:PayableAmount currencyID="EUR">58.37</cbc:PayableAmount>');
  });

  it('provides no XML for a statement, or for a recipient without a format (E0045R, 406)', async () => {
    const paper = invoiceIn(await issue('paper'));
    const statement = invoiceIn(await admin.get(`${INVOICE}?tenant=default&invoicelog=yes`));
    for (const { number = '' } of [paper, statement]) {
      expect(await read(number)).toMatchObject({
        status: 406,
        body: { errorCode: 'E0045R', reason: 'invoice.notElectronic' },
      });
      expect((await read(number, { accept: 'application/json' })).status).toBe(200);
    }
    const pageOf = async ({ number = '' }: Invoice) =>
      (await read(number, { accept: 'text/html' })).text;
    expect(await pageOf(paper)).toContain('It needs the electronic address of the buyer, <bdi>');
    expect(await pageOf(statement)).toContain('Nothing is charged, so there is no electronic');
  });
});

describe.each(DATABASES)('the estimate of an invoice’s duration on %s', (on) => {
  it('assumes all days since the first event if no day has been counted', async () => {
    const server = await TestServer.start({ on });
    try {
      for (let n = 0; n < 10; n += 1) await new FidoClient(server.url).register(`user-${n}`);
      server.clock.advance(DAY_MS);
      const { body } = await adminClient(server.url).get('/userapi/invoiceest');
      // The ten registrations are 20 events of one day, or of two at midnight.
      expect(body['estimateMs']).toBeLessThan(server.get(RollUp).expectedMs(20, 10));
    } finally {
      await server.stop();
    }
  });
});

function tenantIn(answer: Answer, name: string) {
  return invoiceIn(answer).tenants.filter(({ tenant }) => tenant === name);
}
