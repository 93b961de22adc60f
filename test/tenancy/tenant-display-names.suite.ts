import { accountsFile, clientOf } from '../support/accounts.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { addClient, startIssuer } from '../support/oidc-issuer.js';
import { rowsOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const NAME = 'Quince & Sons';
/** The account that is limited to this tenant. */
const LIMITED = 'acme-auditor';

describe('pages call a tenant by its display name', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startIssuer({ options: { accounts: accountsFile() } });
    await server.addRelyingParty('acme', {
      domain: 'acme.example',
      origins: [`http://localhost:${new URL(server.url).port}`],
    });
    const admin = adminClient(server.url);
    await rowsOf(server, "UPDATE tenants SET display_name = ? WHERE name = 'acme'", NAME);
    const hook = { tenant: 'acme', url: 'https://acme.example/hook', events: ['registration'] };
    expect((await admin.post('/tenantapi/webhooks', hook)).status).toBe(201);
    await rowsOf(
      server,
      "UPDATE webhooks SET off_since = 1, failing_since = 1, failure = 'ECONNREFUSED'",
    );
    await addClient(server, {}, { tenant: 'acme', domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  const PARTY = '/tenants/acme/acme.example';
  const OWN = [['/console/account', () => clientOf(server.url, LIMITED)]] as const;

  it.each([...pages(), ...OWN])(
    'calls the tenant by its display name on %s',
    async (path, client) => {
      const { status, text } = await client(path).get(path, HTML);
      expect(status).toBe(200);
      const words = wordsOf(text);
      expect(words).toContain(NAME);
      expect(words).not.toMatch(/\bacme\b/);
    },
  );

  function pages(): readonly (readonly [string, (client: string) => Client])[] {
    return [
      '/',
      '/findings',
      '/userapi/audit',
      '/userapi/search?q=acme.example',
      '/userapi/invoices',
      '/console/accounts',
      '/status',
      PARTY,
      `${PARTY}/_clients`,
      `${PARTY}/handover`,
      `${PARTY}/registration`,
      '/tenants/acme/_keys',
      '/tenants/acme/_webhooks',
    ].map((path) => [path, () => adminClient(server.url)] as const);
  }
});

/** The words of a page, without attributes, addresses and the values of forms. */
function wordsOf(html: string): string {
  return (
    html
      .slice(html.indexOf('<main'), html.indexOf('</main>'))
      .replaceAll(/<code>[^]*?<\/code>/g, '')
      // Choices show both, since display names need not be unique.
      .replaceAll(/<small\b[^]*?<\/small>|\(acme\)/g, '')
      .replaceAll('<wbr>', '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll('&amp;', '&')
      // Of the account and the domain.
      .replaceAll(/acme-\w+|acme\.example/g, '')
  );
}
