import { AuditTrail } from '../../src/audit/audit-trail.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

interface Entry {
  seq: number;
  at: string;
  account: string;
  action: string;
  target: string | null;
  result: string;
}

const DAY_MS = 24 * 3600 * 1000;
const HOSTILE = `<script>alert(1)</script>"'{{x}}`;

describe.each(DATABASES)('GET /userapi/audit on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  let firstDay: string;
  beforeEach(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    const start = server.clock.now();
    // No midnight comes in the middle of a test.
    server.clock.standAt(start);
    firstDay = new Date(start).toISOString().slice(0, 10);
    for (let n = 1; n <= 30; n += 1) await append(n, n % 10 ? 'ok' : 'refused');
    server.clock.advance(2 * DAY_MS);
    for (let n = 31; n <= 40; n += 1) await append(n);
  });
  afterEach(() => server.stop());

  it('the list of audit rows has the newest first, with account, action, target and result', async () => {
    const { entries, next } = await search('');
    expect(entries.map(({ seq }) => seq)).toEqual(where(() => true));
    expect(next).toBeNull();
    expect(entries[10]).toEqual({
      seq: 30,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      account: 'bert',
      role: 'helpdesk',
      address: '192.0.2.1',
      action: 'credential.delete',
      tenant: 'acme',
      relyingParty: 'acme.example',
      target: '100% 30',
      result: 'refused',
      code: 'E0044R',
      requestId: 'r30',
      detail: { credentials: 30 },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('the audit list filters literally by each member and by all together', async () => {
    expect(await numbers('account=anna')).toEqual(where((n) => n % 2 === 1));
    expect(await numbers('account=ANNA')).toEqual([]);
    expect(await numbers('action=credential.delete')).toEqual(where((n) => n % 3 === 0));
    expect(await numbers('result=refused')).toEqual([30, 20, 10]);
    expect(await numbers('requestId=r7')).toEqual([7]);
    expect(await numbers('target=user_1')).toEqual(where((n) => /^1/.test(`${n}`) && n % 5 > 0));
    expect(await numbers('target=100%25')).toEqual(where((n) => n % 5 === 0));
    expect(await numbers('target=%25')).toEqual([]);
    const all = 'account=bert&action=credential.delete&result=refused&target=100%25%203';
    expect(await numbers(`${all}&from=${firstDay}`)).toEqual([30]);
    expect(await numbers('account=&action=&target=&result=&from=&to=')).toHaveLength(40);
  });

  it('the audit list filters by day, including both ends', async () => {
    const day = (days: number) =>
      new Date(Date.parse(firstDay) + days * DAY_MS).toISOString().slice(0, 10);
    const old = where((n) => n <= 30);
    expect(await numbers(`from=${day(0)}&to=${day(1)}`)).toEqual(old);
    expect(await numbers(`to=${day(1)}`)).toEqual(old);
    expect(await numbers(`from=${day(2)}`)).toEqual(where((n) => n > 30));
    expect(await numbers(`from=${day(1)}&to=${day(1)}`)).toEqual([]);
    expect(await numbers(`from=${day(5)}`)).toEqual([]);
    expect(await numbers(`to=${day(-5)}`)).toEqual([]);
  });

  it.each(['Etc/GMT+12', 'Etc/GMT-14', 'America/Los_Angeles', 'UTC'])(
    'the audit list filters by the days of the time zone %s',
    async (zone) => {
      const { entries } = await search('');
      const dayOf = ({ at }: Entry) =>
        new Date(at).toLocaleDateString('sv', { timeZone: zone, dateStyle: 'short' });
      for (const day of new Set(entries.map(dayOf))) {
        const own = entries.filter((entry) => dayOf(entry) === day).map(({ seq }) => seq);
        const days = `from=${day}&to=${day}&zone=${encodeURIComponent(zone)}`;
        expect(await numbers(days)).toEqual(own);
      }
    },
  );

  it('the audit list returns each row once in pages with a cursor', async () => {
    const found: number[] = [];
    let cursor = '';
    for (let page = 0; page < 10; page += 1) {
      const { entries, next } = await search(`account=anna&limit=7${cursor}`);
      expect(entries.length).toBeLessThanOrEqual(7);
      found.push(...entries.map(({ seq }) => seq));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(found).toEqual(where((n) => n % 2 === 1));
  });

  it.each([
    'result=maybe',
    'limit=0',
    'limit=1001',
    'limit=1e2',
    'cursor=-1',
    'cursor=x',
    'from=2024-02-30',
    'from=20240101',
    'to=2024-13-01',
    'account=a&account=b',
    'zone=Mars/Olympus',
    'zone=UTC&zone=UTC',
  ])('the audit list refuses ?%s (E0045R)', async (query) => {
    const answer = await admin.get(`/userapi/audit?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('the audit list is a CSV file by Accept and by a link', async () => {
    for (const answer of [
      await admin.get('/userapi/audit?limit=2', { accept: 'text/csv' }),
      await admin.get('/userapi/audit?limit=2&format=csv', HTML),
    ]) {
      expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
      expect(answer.headers.get('content-disposition')).toContain('audit.csv');
      const [heading, first, , end] = answer.text.split('\r\n');
      expect(heading).toMatch(/^"seq","at","account","role","address","action","tenant"/);
      expect(first).toMatch(
        /^"40","\d{4}-.*","bert","helpdesk","192\.0\.2\.1","credential\.disable","acme",/,
      );
      expect(end).toBe('');
    }
  });

  it('the audit page has a search form that works without scripts', async () => {
    const page = await admin.get('/userapi/audit?account=anna&limit=7', HTML);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form class="card search" method="get" action="/userapi/audit"');
    expect(page.text).toContain('name="account" value="anna"');
    expect(page.text).toMatch(/<time datetime="[^"]+Z">\d{4}-\d\d-\d\d \d\d:\d\d UTC<\/time>/);
    const older = /href="([^"]+)" rel="next"/.exec(page.text)?.[1] ?? '';
    const next = await admin.get(older.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='), HTML);
    expect(next.text).toContain('Older changes');
  });

  it('the audit page shows the action in words of the reader’s language, with the code', async () => {
    for (const [language, words, role] of [
      ['en', 'Disable a key', 'help desk'],
      ['de', 'Schlüssel sperren', 'Helpdesk'],
    ] as const) {
      const page = await admin.get('/userapi/audit?limit=2', {
        ...HTML,
        'accept-language': language,
      });
      expect(page.text).toContain(`${words}</a>`);
      expect(page.text).toContain(`<dd>${role}, 192.0.2.1</dd>`);
      expect(page.text).toContain('<code>credential.disable</code>');
      const link = /href="([^"]+)" download="audit.csv"/.exec(page.text)?.[1] ?? '';
      const file = await admin.get(link.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='), {
        ...HTML,
        'accept-language': language,
      });
      expect(file.text).toMatch(language === 'de' ? /^"seq";"at"/ : /^"seq","at"/);
      expect(file.text).toContain(`"${words}"`);
    }
  });

  it('the audit page shows a refused action as refused', async () => {
    const query = '/userapi/audit?result=refused&action=credential.disable&limit=1';
    const results = { en: ['Disable a key', 'Refused'], fr: ['Désactiver une clé', 'Refusé'] };
    for (const [language, [deed, result]] of Object.entries(results)) {
      const page = await admin.get(query, { ...HTML, 'accept-language': language });
      expect(page.text).toContain(`${deed}</a>`);
      expect(page.text).toContain(` ${result}</span>`);
    }
  });

  it('the audit page names the model of an action, with its AAGUID', async () => {
    const aaguid = 'EE882879-721c-4913-9775-3dfcce97072a';
    await admin.post('/userapi/aaguid', { type: 'add', aaguid });
    const page = await admin.get('/userapi/audit?action=aaguid.add', HTML);
    expect(page.text).toContain('<bdi>YubiKey 5 Series');
    expect(page.text).toContain(`<code>${aaguid}</code>`);
  });

  it('the audit CSV file has the targets, models and reasons of the page', async () => {
    await admin.post('/tenantapi/tenants', { tenant: 'default' });
    const aaguid = 'ee882879-721c-4913-9775-3dfcce97072a';
    await admin.post('/userapi/aaguid', { type: 'add', aaguid });
    const file = await admin.get('/userapi/audit?limit=2&format=csv');
    const [heading, onModel, onTenant] = file.text.split('\r\n');
    expect(heading).toMatch(/"target","result",.*,"hash","reason","model"$/);
    expect(onModel).toMatch(/"aaguid\.add","","","ee882879-[^"]+",.*,"YubiKey 5 Series[^"]*"$/);
    expect(onTenant).toMatch(/"tenant\.create","default","","default","refused","E0045R",/);
    expect(onTenant).toContain(',"There is already a tenant ""default"".",""');
    const german = await admin.get('/userapi/audit?limit=2&format=spreadsheet', {
      'accept-language': 'de',
    });
    expect(german.text).toContain(';"Einen Mandanten „default“ gibt es schon.";""');
  });

  it('the audit page reports that no row matches a search', async () => {
    const page = await admin.get('/userapi/audit?account=nobody', HTML);
    expect(page.text).toContain('No change fits this search.');
  });

  it('the audit page escapes HTML, and the CSV file escapes formulas', async () => {
    await admin.send(`/tenantapi/tenants/${encodeURIComponent(HOSTILE)}`, { method: 'DELETE' });
    await server.get(AuditTrail).append({
      account: HOSTILE,
      role: 'admin',
      address: '',
      action: 'credential.delete',
      target: '=1+1',
      result: 'ok',
      requestId: 'x',
      detail: { note: HOSTILE },
    });
    const page = await admin.get(`/userapi/audit?account=${encodeURIComponent(HOSTILE)}`, HTML);
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('&lt;script&gt;alert(1)');
    const file = await admin.get('/userapi/audit?format=csv');
    expect(file.text).toContain(`,"'=1+1",`);
  });

  function append(n: number, result: 'ok' | 'refused' = 'ok') {
    return server.get(AuditTrail).append({
      account: n % 2 ? 'anna' : 'bert',
      role: 'helpdesk',
      address: '192.0.2.1',
      action: n % 3 ? 'credential.disable' : 'credential.delete',
      tenant: 'acme',
      relyingParty: 'acme.example',
      target: n % 5 ? `user_${n}` : `100% ${n}`,
      result,
      ...(result === 'ok' ? {} : { code: 'E0044R' }),
      requestId: `r${n}`,
      detail: { credentials: n },
    });
  }

  async function search(query: string) {
    const { status, body } = await admin.get(`/userapi/audit?${query}`);
    expect(status).toBe(200);
    return body as { entries: Entry[]; next: string | null };
  }

  function where(test: (n: number) => boolean) {
    return Array.from({ length: 40 }, (_, i) => 40 - i).filter(test);
  }

  async function numbers(query: string) {
    return (await search(query)).entries.map(({ seq }) => seq);
  }
});
