import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('the one search on %s', (on) => {
  let server: TestServer;
  let credentialId: string;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    admin = adminClient(server.url);
    for (const domain of ['acme.example', 'shop.example']) {
      await server.addRelyingParty(domain.split('.')[0] ?? '', { domain });
      const user = new FidoClient(server.url, {
        relyingParty: domain,
      });
      await user.register('bianchi', { displayName: 'Anna Lindström' });
      credentialId = user.keyId;
    }
  });
  afterAll(() => server.stop());

  /** The kinds of what was found, and the addresses of the matches. */
  const found = async (text: string, client = admin, language = 'en') => {
    const path = `/userapi/search?q=${encodeURIComponent(text)}`;
    const page = await client.get(path, { accept: 'text/html', 'accept-language': language });
    expect(page.status).toBe(200);
    const [, main = ''] = page.text.split('id="found"');
    return {
      kinds: [...main.matchAll(/id="found-(\w+)"/g)].map(([, kind]) => kind),
      headings: [...main.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, heading]) => heading),
      addresses: [...main.matchAll(/<li><a href="([^"]*)"/g)].map(([, address]) =>
        (address ?? '').replaceAll('&amp;', '&').replaceAll('&#x3D;', '='),
      ),
    };
  };
  const userAt = (domain: string) => `/userapi/user?name=bianchi&rp=${domain}`;
  const BOTH = [userAt('acme.example'), userAt('shop.example')];

  // A search ends early where the database takes its time, before the last relying party.
  it('finds users by words of their names, regardless of case and accents', async () => {
    for (const text of ['bianchi', 'BIAN', 'lindstrom', 'anna lind'])
      await eventually(async () =>
        expect(await found(text)).toMatchObject({ kinds: ['users'], addresses: BOTH }),
      );
  });

  it.each(['Bianci', 'bianchhi', 'bainchi', 'bianshi', 'ana lindstrom', 'anna lindstrum'])(
    'asks whether the user with a similar name was meant by %p, who has no other',
    async (text) => {
      await eventually(async () => {
        const { headings, addresses } = await found(text);
        expect(headings).toEqual(['Did you mean']);
        expect(addresses).toEqual(BOTH);
      });
    },
  );

  it('offers nobody whose name differs by more than a letter in a word', async () => {
    expect((await found('banci')).kinds).toEqual([]);
    expect((await found('otto lindstrum')).kinds).toEqual([]);
  });

  it('says that there may be more similar names than it shows', async () => {
    const users = Array.from({ length: 9 }, (_, n) => ({ username: `kellermann ${n}` }));
    await settle(server, relyingPartyOf(server, 'localhost'), users);
    const path = '/userapi/search?q=kellermamn';
    await eventually(async () => {
      const { text } = await admin.get(path, { accept: 'text/html' });
      expect(text.match(/<li><a href="\/userapi\/user\?/g)).toHaveLength(8);
      expect(text).toContain('There may be more: add a word of the name.');
    });
    expect(
      (await admin.get('/userapi/search?q=bianci', { accept: 'text/html' })).text,
    ).not.toContain('There may be more');
  });

  it('finds the users of a credential ID', async () => {
    const { kinds, addresses } = await found(credentialId);
    expect(kinds).toEqual(['keys']);
    expect(addresses).toEqual([userAt('shop.example')]);
  });

  it('opens the explanation of a refused sign-in by its request ID, however it is typed', async () => {
    const user = new FidoClient(server.url, {
      relyingParty: 'acme.example',
    });
    const { headers } = await user.beginAuthentication('nobody');
    await server.get(RefusalLog).flush();
    const id = String(headers.get('x-request-id'));
    const address = `/userapi/explain?request=${id}`;
    for (const text of [id, id.toLowerCase().replaceAll('-', ' '), `Request ID: ${id}`])
      expect((await found(text)).addresses).toEqual([address]);
    expect((await admin.get(address, { accept: 'text/html' })).text).toContain('nobody');
    const helpDesk = clientOf(server.url, 'acme-helpdesk');
    expect((await found(id, helpDesk)).addresses).toEqual([address]);
  });

  it('opens the audit rows of a change by its request ID, for accounts that may read them', async () => {
    const { headers } = await admin.post('/tenantapi/keys', {
      tenant: 'acme',
      name: 'Till',
      scopes: ['users:read'],
    });
    const id = String(headers.get('x-request-id'));
    expect((await found(id)).addresses).toEqual([`/userapi/audit?requestId=${id}`]);
    expect((await found(id, clientOf(server.url, 'helpdesk'))).kinds).toEqual([]);
  });

  it('explains an error code, and opens the latest refusals with it', async () => {
    for (const text of ['E0033R', 'e0033r', '0033']) {
      const { kinds, addresses } = await found(text);
      expect(kinds).toEqual(['codes']);
      expect(addresses).toEqual(['/userapi/explain?code=E0033R']);
    }
    expect((await found('E0999R')).kinds).toEqual([]);
    const page = await admin.get('/userapi/explain?code=E0034R', { accept: 'text/html' });
    expect(page.text).toContain('Refused with <bdi>E0034R</bdi> in the last 24 hours');
  });

  it('finds models, domains, tenants, accounts, stored documents and pages', async () => {
    const stored = await admin.get('/userapi/invoice?invoicelog=yes', {
      accept: 'application/json',
    });
    expect(stored.status).toBe(200);
    expect((await found('s-1')).addresses).toEqual(['/userapi/invoices/S-1']);
    expect((await found('ee882879-721c')).addresses).toEqual([
      '/userapi/aaguid/ee882879-721c-4913-9775-3dfcce97072a',
    ]);
    expect(await found('shop')).toMatchObject({
      kinds: ['tenants'],
      addresses: ['/tenants/shop/shop.example', '/tenants/shop'],
    });
    expect((await found('helpd')).addresses).toEqual([
      '/console/accounts/acme-helpdesk',
      '/console/accounts/helpdesk',
    ]);
    expect((await found('explain')).addresses).toEqual(['/userapi/explain']);
    expect((await found('rechn', admin, 'de')).addresses).toContain('/userapi/invoice');
  });

  it('finds the page of a command that the account may give, by a word of it in three languages', async () => {
    for (const [word, language, page] of [
      ['suspend', 'en', '/userapi'],
      ['revoke key', 'en', '/userapi'],
      ['whitelist', 'de', '/userapi/aaguid'],
      ['Passwort', 'de', '/console/account'],
      ['sauvegarde', 'fr', '/status'],
    ] as const)
      expect((await found(word, admin, language)).addresses).toContain(page);
    const { text } = await admin.get('/userapi/search?q=suspend', { accept: 'text/html' });
    expect(text).toContain('Suspend or lock users, end suspensions');
    const helpDesk = clientOf(server.url, 'helpdesk');
    expect((await found('disable', helpDesk)).addresses).toEqual(['/userapi', '/userapi/aaguid']);
    expect((await found('erase', helpDesk)).kinds).toEqual([]);
    const ofOneTenant = clientOf(server.url, 'acme-admin');
    expect((await found('upload FIDO', ofOneTenant)).addresses).toEqual([]);
    expect((await found('upload FIDO', admin)).addresses).toContain('/userapi/mds');
    const auditor = clientOf(server.url, 'auditor');
    expect((await found('disable', auditor)).kinds).toEqual([]);
    expect((await found('verify', auditor)).addresses).toContain('/userapi/audit');
  });

  it('finds for each role only what it may see', async () => {
    const finance = clientOf(server.url, 'finance');
    expect((await found('bianchi', finance)).kinds).toEqual([]);
    expect((await found('shop', finance)).kinds).toEqual([]);
    expect((await found('invoices', finance)).kinds).toEqual(['pages']);
    const helpDesk = clientOf(server.url, 'helpdesk');
    expect((await found('S-1', helpDesk)).kinds).toEqual([]);
    expect((await found('audit', helpDesk)).kinds).toEqual([]);
    expect((await found('finance', helpDesk)).kinds).toEqual([]);
  });

  it('finds nothing of another tenant', async () => {
    const own = clientOf(server.url, 'acme-admin');
    expect((await found('bianchi', own)).addresses).toEqual([userAt('acme.example')]);
    expect((await found('Bianci', own)).addresses).toEqual([userAt('acme.example')]);
    expect((await found(credentialId, own)).kinds).toEqual([]);
    expect((await found('shop', own)).kinds).toEqual([]);
    expect((await found('auditor', own)).addresses).toEqual(['/console/accounts/acme-auditor']);
    await admin.get('/userapi/invoice?invoicelog=yes');
    const invoices = await admin.get('/userapi/invoices?tenant=shop');
    const [{ number }] = invoices.body['invoices'] as [{ number: string }];
    expect((await found(number)).kinds).toEqual(['invoices']);
    expect((await found(number, own)).kinds).toEqual([]);
    const user = new FidoClient(server.url, {
      relyingParty: 'shop.example',
    });
    const { headers } = await user.beginAuthentication('nobody');
    await server.get(RefusalLog).flush();
    expect((await found(String(headers.get('x-request-id')), own)).kinds).toEqual([]);
  });

  it('takes any text without a fault, and an empty one shows what can be found', async () => {
    for (const text of ['%', '*', "'", '<b>', '\u0000', 'a'.repeat(2000), '山田', '- -', '12'])
      await found(text);
    const empty = await admin.get('/userapi/search', { accept: 'text/html' });
    expect(empty.text).toContain('Search for a name');
    const long = await admin.get(`/userapi/search?q=${'a'.repeat(5000)}`, { accept: 'text/html' });
    expect(long.status).toBe(400);
  });
});
