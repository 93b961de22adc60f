import { AuditTrail } from '../../src/audit/audit-trail.js';
import { AuditVerifier } from '../../src/audit/chain/audit-verifier.js';
import { sendForm } from '../support/console-form.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { DATABASES } from '../support/databases.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { HTML } from '../support/client.js';
import { ENTRY } from './sealed-trail.js';

const PAGE = '/userapi/audit';

describe.each(DATABASES)('the verification on the audit page on %s', (on) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    for (let n = 0; n < 3; n += 1) await server.get(AuditTrail).append(ENTRY);
  });
  afterEach(async () => {
    await server.stop();
  });

  async function verify(name: string, role: 'admin' | 'auditor', language = 'en') {
    const client = clientOf(server.url, name);
    const sender = { name, role, headers: HTML, client };
    const { status } = await sendForm(server, `${PAGE}/verify`, {}, sender);
    return {
      status,
      page: (await client.get(PAGE, { ...HTML, 'accept-language': language })).text,
    };
  }

  it('the verification of the page reports the number of valid rows', async () => {
    expect(await verify('auditor', 'auditor')).toEqual({
      status: 303,
      page: expect.stringContaining('The trail is intact: 3 rows were verified.'),
    });
  });

  it('the verification of the page returns to the search from which it was called', async () => {
    const client = clientOf(server.url, 'auditor');
    const { text } = await client.get(`${PAGE}?target=anna%40example`, HTML);
    const [, action = ''] = /action="(\/userapi\/audit\/verify[^"]*)"/.exec(text) ?? [];
    const auditor = { name: 'auditor', role: 'auditor', headers: HTML } as const;
    const { headers } = await sendForm(server, action.replaceAll('&#x3D;', '='), {}, auditor);
    expect(headers.get('location')).toBe(`${PAGE}?target=anna%40example`);
  });

  it('an account that is limited to a tenant cannot verify the trail', async () => {
    const { status, page } = await verify('acme-admin', 'admin');
    expect(status).toBe(403);
    expect(page).not.toContain(`${PAGE}/verify`);
  });

  it('a verification whose time is over reports how far it came', async () => {
    const verdict = await server.get(AuditVerifier).verify(undefined, 0);
    expect(verdict).toMatchObject({ good: 1, isPartial: true });
    expect(verdict.fault).toBeUndefined();
  });

  it('the verification of the page reports what was altered, in the reader’s language', async () => {
    await rowsOf(server, "UPDATE audit SET account = 'bert' WHERE seq = 2");
    const { page } = await verify('auditor', 'auditor');
    expect(page).toContain('It is in order up to row 1');
    expect(page).toContain('row 2 was altered');
    const german = await verify('auditor', 'auditor', 'de');
    expect(german.page).toContain('Zeile 2 wurde verändert.');
  });
});
