import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Database } from '../../src/platform/database/database.js';
import { scope } from '../../src/platform/database/scope.js';
import {
  COUNT_FINDINGS,
  FINDINGS_OF_RULE,
  NEXT_RULE,
} from '../../src/trust/findings/finding.statements.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { adminClient } from '../support/client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { blobEntry, blobRoot, writeBlob } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { settle } from '../support/people.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const REVOKED = '5a4c0000-0000-4000-8000-00000000000d';
const HTML = { accept: 'text/html' };
const root = attestationRoot().certificate.toString('base64');

const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
const mdsRoots = join(directory, 'roots.pem');
writeFileSync(mdsRoots, pemOf(blobRoot().certificate));

/** The part of a page with this ID; empty where the page has none. */
const partOf = (html: string, id: string) =>
  new RegExp(`<section class="card" id="${id}"[^]*?</section>`).exec(html)?.[0] ?? '';

describe.each(DATABASES)('the inbox of findings on %s', (on) => {
  let server: TestServer;
  let accounts: string;
  beforeAll(async () => {
    accounts = await accountsFile();
    const options = { accounts, mds: ['upload'], mdsRoots };
    server = await TestServer.start({ on, options });
    for (const tenant of ['acme', 'globex']) {
      await server.addRelyingParty(tenant, { domain: `${tenant}.example` });
    }
    await take(1, []);
    await enter('acme.example', 'anna');
    await enter('globex.example', 'gina');
    await take(2, [{ status: 'REVOKED', effectiveDate: '2026-02-01' }]);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dirname(accounts), { recursive: true });
  });

  async function take(no: number, more: readonly object[]): Promise<void> {
    const statusReports = [{ status: 'FIDO_CERTIFIED', effectiveDate: '2026-01-01' }, ...more];
    const roots = { attestationRootCertificates: [root] };
    const entries = [blobEntry(REVOKED, roots, { statusReports })];
    const jwt = writeBlob({ no, nextUpdate: '2099-01-01', entries });
    const type = { 'content-type': 'application/jose' };
    expect((await adminClient(server.url).post('/userapi/mds', jwt, type)).status).toBe(200);
    await evaluateKeys(server);
  }
  /** A user with a key of the model, whose counter then goes back. */
  async function enter(domain: string, name: string): Promise<void> {
    const aaguid = Buffer.from(REVOKED.replaceAll('-', ''), 'hex');
    const authenticator = new SoftAuthenticator({ attestation: 'packed', aaguid });
    const at = { relyingParty: domain, origin: `https://${domain}`, authenticator };
    const client = new FidoClient(server.url, at);
    expect((await client.register(name, { attestation: 'direct' })).status).toBe(200);
    expect((await client.signIn(name)).status).toBe(200);
    expect((await client.signIn(name, { signCount: 1 })).status).not.toBe(200);
  }
  const page = async (role: string, path = '/findings') =>
    (await clientOf(server.url, role).get(path, HTML)).text;

  it('shows copied keys with a button that helps', async () => {
    const copied = partOf(await page('helpdesk'), 'copied');
    expect(copied).toContain('2 users affected');
    expect(copied).toMatch(/href="\/userapi\/user\?name&#x3D;anna&amp;rp&#x3D;acme.example"/);
    expect(copied.match(/value="disable-key"/g)).toHaveLength(2);
    expect(copied).toContain('Disable the 2 copied keys');
    const read = partOf(await page('auditor'), 'copied');
    expect(read).toContain('anna');
    expect(read).not.toContain('<button');
  });

  it('shows a revoked model with its users and links to its page', async () => {
    const revoked = partOf(await page('helpdesk'), 'revoked');
    expect(revoked).toContain('Revoked');
    expect(revoked).toContain('2 keys, 2 users affected');
    expect(revoked).toContain(`href="/userapi/aaguid/${REVOKED}"`);
    expect(revoked).toContain('Disable its 2 keys…');
    expect(partOf(await page('auditor'), 'revoked')).toContain('Open the model');
    expect(await page('helpdesk', `/userapi/aaguid/${REVOKED}`)).toContain('warns');
  });

  it('shows broken rules and lists their keys', async () => {
    const rules = partOf(await page('helpdesk'), 'rules');
    expect(rules).toContain('Status in the metadata');
    expect(rules).toContain('2 keys, 2 users affected');
    const list = await page('helpdesk', '/findings/keys?kind=rule&rule=status&rp=acme.example');
    expect(list).toContain('anna');
    expect(list).not.toContain('gina');
  });

  it('lists keys on pages that no cache may store', async () => {
    const { headers } = await clientOf(server.url, 'helpdesk').get('/findings/keys?kind=copied');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('names users by their display names', async () => {
    const rename = "UPDATE users SET display_name = 'Anna Muster' WHERE username = ?";
    await rowsOf(server, rename, Buffer.from('anna'));
    for (const path of ['kind=copied', 'kind=rule&rule=status&rp=acme.example']) {
      const list = await page('helpdesk', `/findings/keys?${path}`);
      expect(list).toMatch(/<bdi>Anna Muster<\/bdi><\/a><br><small class="muted"><bdi>anna</);
    }
  });

  it('shows each role the findings it can act on, and a tenant only its own', async () => {
    const desk = await page('helpdesk');
    const admin = await page('acme-admin');
    expect(partOf(desk, 'setup')).toBe('');
    expect(partOf(admin, 'setup')).toContain('Registration is open.');
    expect(partOf(admin, 'setup')).toContain('Choose who may register');
    expect(partOf(admin, 'setup')).not.toContain('audit trail');
    for (const id of ['copied', 'revoked', 'rules']) {
      expect(partOf(admin, id)).toContain('1 user affected');
      expect(partOf(admin, id)).not.toContain('globex');
    }
    const { text } = await adminClient(server.url).get('/findings', HTML);
    expect(partOf(text, 'setup')).toContain('The audit trail is not sealed.');
    expect((await clientOf(server.url, 'finance').get('/findings', HTML)).status).toBe(403);
    const foreign = '/findings/keys?kind=rule&rule=status&rp=globex.example';
    expect((await clientOf(server.url, 'acme-admin').get(foreign, HTML)).status).toBe(404);
  });

  it('warns each role on the dashboard about the same findings', async () => {
    const copied = 'Keys may have been copied.';
    const open = 'Registration is open.';
    const seen = async (role: string) => {
      const text = await page(role, '/');
      return [copied, open].filter((title) => text.includes(title));
    };
    expect(await seen('auditor')).toEqual([copied, open]);
    expect(await seen('helpdesk')).toEqual([copied]);
    expect(await seen('finance')).toEqual([]);
    expect(await seen('acme-finance')).toEqual([]);
    expect(await page('acme-admin', '/')).toContain(open);
  });

  it('the inbox of findings is linked on the page of a user with a revoked model, which is not called trusted', async () => {
    const user = await page('helpdesk', '/userapi/user?name=anna&rp=acme.example');
    expect(user).toContain('No longer trusted');
    expect(user).not.toContain('> Trusted<');
    expect(user).toContain(`href="/userapi/aaguid/${REVOKED}"`);
    expect(user).toContain('href="/findings"');
    expect(await page('helpdesk', '/')).toContain('href="/findings">Show the findings');
  });

  it('reads each page along an index', async () => {
    await server.addRelyingParty('many', { domain: 'many.example' });
    const rp = relyingPartyOf(server, 'many.example');
    const names = Array.from({ length: 120 }, (_, n) => ({ username: `user-${n}` }));
    await settle(server, rp, names);
    await rowsOf(
      server,
      `INSERT INTO findings (id, tenant_id, relying_party_id, rule, code, action, found_at)
       SELECT id, tenant_id, relying_party_id, 'algorithms', 'E0015R', 'report', 1
       FROM credentials WHERE relying_party_id = ?`,
      rp.id,
    );
    const seen: string[] = [];
    let next: string | undefined = '/findings/keys?kind=rule&rule=algorithms&rp=many.example';
    while (next !== undefined) {
      const text: string = await page('helpdesk', next);
      seen.push(
        ...[...text.matchAll(/<th scope="row"><a [^>]*><bdi>(user-\d+)/g)].map(
          ([, name]) => name ?? '',
        ),
      );
      next = /href="([^"]*)" rel="next"/
        .exec(text)?.[1]
        ?.replaceAll('&#x3D;', '=')
        .replaceAll('&amp;', '&');
    }
    expect(new Set(seen).size).toBe(120);
    expect(seen).toHaveLength(120);
    const { kind } = server.get(Database);
    const asked = { ...scope(rp), rule: 'status', limit: 51, most: 10, after: Buffer.alloc(16) };
    const steps = [
      FINDINGS_OF_RULE[kind].bind(asked),
      NEXT_RULE[kind].bind({ ...scope(rp), after: '' }),
      COUNT_FINDINGS[kind].bind(asked),
    ];
    for (const { sql, params } of steps) {
      const explain = on === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      const plan = JSON.stringify(await rowsOf(server, `${explain} ${sql}`, ...params));
      expect(plan).toContain('ix_findings_rule');
      expect(plan).not.toMatch(/filesort|USE TEMP B-TREE FOR ORDER BY/);
    }
  });
});
