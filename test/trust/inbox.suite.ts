import { Database } from '../../src/platform/database/database.js';
import { scope } from '../../src/platform/database/scope.js';
import {
  COUNT_FINDINGS,
  FINDINGS_OF_RULE,
  NEXT_RULE,
} from '../../src/trust/findings/finding.statements.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { HTML, adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { MDS_ROOTS, modelEntry, uploadBlob } from '../support/metadata.js';
import { TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

const REVOKED = '5a4c0000-0000-4000-8000-00000000000d';
/** A model that is not in use. */
const OTHER = '5a4c0000-0000-4000-8000-00000000000e';
/** Counts stay longer in the cache the longer they took. */
/** A flag, which only operators can set. */
const SERVER_OPTION = /(?<![\w-])--[a-z]{3}/;

describe.each(DATABASES)('the inbox of findings on %s', (on) => {
  let server: TestServer;
  beforeAll(start);
  afterAll(() => server.stop());

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
    expect(partOf(admin, 'setup')).not.toMatch(SERVER_OPTION);
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

  it.each([
    ['acme-admin', '/tenants/acme/acme.example'],
    ['acme-admin', '/tenants/acme/acme.example/registration'],
    ['acme-admin', '/userapi/aaguid'],
    ['helpdesk', '/userapi/aaguid'],
    ['auditor', '/userapi/audit'],
  ])('tells %s on %s of no option of the server', async (account, path) => {
    const { status, text } = await clientOf(server.url, account).get(path, HTML);
    expect(status).toBe(200);
    expect(text.replace(/[^]*<main/, '')).not.toMatch(SERVER_OPTION);
  });

  it('warns each role on the dashboard about the same findings', async () => {
    const copied = 'Keys may have been copied.';
    const open = 'Registration is open.';
    const seen = async (role: string) => {
      const text = await page(role, '/');
      return [copied, open].filter((title) => text.includes(title));
    };
    // A page waits only a moment for what is counted.
    await eventually(async () => expect(await seen('auditor')).toEqual([copied, open]));
    await eventually(async () => expect(await seen('helpdesk')).toEqual([copied]));
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
    await eventually(async () =>
      expect(await page('helpdesk', '/')).toContain('href="/findings">Show the findings'),
    );
  });

  it('shows the number of open findings in the menu and on the dashboard', async () => {
    const shown = async (role: string) => {
      const text = await page(role, '/');
      return [
        /Findings <span class="badge bad">(\d+)</.exec(text)?.[1],
        /Open findings<\/span>\s*<span class="value">(\d+)</.exec(text)?.[1],
      ];
    };
    // Two copied keys, a model, and a rule at two relying parties.
    await eventually(async () => expect(await shown('helpdesk')).toEqual(['5', '5']));
    await eventually(async () => expect(await shown('acme-admin')).toEqual(['3', '3']));
    expect(await shown('finance')).toEqual([undefined, undefined]);
  });

  describe('with a server of its own', () => {
    const restart = async () => {
      await server.stop();
      await start();
    };
    beforeAll(restart);
    afterAll(restart);

    it('ends findings by the act that handles them, and lists them as handled', async () => {
      const disable = async (domain: string, filter: string) => {
        const admin = new AdminClient(server.url, domain);
        expect((await admin.manage({ type: 'disableall', filter })).status).toBe(200);
      };
      await disable('acme.example', 'anna');
      const open = await page('helpdesk');
      expect(partOf(open, 'copied')).toContain('1 user affected');
      expect(partOf(open, 'copied')).not.toContain('anna');
      expect(partOf(open, 'revoked')).toContain('1 key, 1 user affected');
      expect(partOf(open, 'rules')).not.toContain('acme.example');
      const past = await page('helpdesk', '/findings?state=past');
      for (const id of ['copied', 'revoked', 'rules']) expect(partOf(past, id)).not.toBe('');
      expect(open).toContain(
        'Assign or accept…<span class="visually-hidden">: gina, globex.example',
      );
      expect(past).not.toContain('Assign or accept');
      expect(partOf(past, 'copied')).not.toContain('gina');
      await disable('globex.example', 'gina');
      const rest = await page('helpdesk');
      expect(rest).toContain('Nothing needs your attention.');
      await eventually(async () => {
        const dashboard = await page('helpdesk', '/');
        expect(dashboard).not.toContain('may have been copied.');
        expect(dashboard).toMatch(/Open findings<\/span>\s*<span class="value">0</);
      });
      // What is enabled again is open again.
      const admin = new AdminClient(server.url, 'globex.example');
      await admin.manage({ type: 'enableall', filter: 'gina' });
      expect(partOf(await page('helpdesk'), 'copied')).toContain('gina');
    });
  });

  describe.each([
    ['it is blocked, and then its keys are disabled', ['block', 'disable']],
    ['its keys are disabled, and then it is blocked', ['disable', 'block']],
  ] as const)('about a model that may be registered in spite of its status: %s', (_, acts) => {
    const domain = 'acme.example';
    const policy = async (rules: RelyingPartyPolicy) =>
      server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy: rules });
    const LAX: RelyingPartyPolicy = { status: { REVOKED: 'accept' } };
    const change = (type: 'disableall' | 'enableall') =>
      new AdminClient(server.url, domain).manage({ type, filter: 'anna' });
    const inbox = async () => partOf(await page('acme-admin'), 'revoked');
    beforeAll(async () => {
      await change('enableall');
      await policy(LAX);
    });
    afterAll(async () => {
      await policy({});
      await change('enableall');
    });

    it('ends its finding only once both are done', async () => {
      const deeds = {
        block: () => policy({ ...LAX, block: [REVOKED] }),
        disable: () => change('disableall'),
      };
      expect(await inbox()).toContain('can still be registered at <bdi>acme.example</bdi>');
      await deeds[acts[0]]();
      expect(await inbox()).toContain(REVOKED);
      await deeds[acts[1]]();
      expect(await inbox()).toBe('');
      expect(partOf(await page('acme-admin', '/findings?state=past'), 'revoked')).toContain(
        REVOKED,
      );
      await policy(LAX);
      expect(await inbox()).toContain('can still be registered');
    });
  });

  describe('about a model whose keys are all disabled', () => {
    const ACCEPTED = { status: { REVOKED: 'accept' } } as const;
    const profiles = [{ name: 'Testers', group: 'testers', rules: ACCEPTED }];
    const change = (type: 'disableall' | 'enableall') =>
      new AdminClient(server.url, 'acme.example').manage({ type, filter: 'anna' });
    const policy = (written: RelyingPartyPolicy) =>
      server
        .get(TenancyService)
        .changeRelyingParty(server.call, 'acme', 'acme.example', { policy: written });
    beforeAll(() => change('disableall'));
    afterAll(async () => {
      await policy({});
      await change('enableall');
    });

    it.each<[string, boolean, RelyingPartyPolicy]>([
      ['its status is refused', true, {}],
      ['its status is only reported', false, { status: { mode: 'report' } }],
      ['a profile accepts its status', false, { profiles }],
      ['it is blocked in spite of such a profile', true, { profiles, block: [REVOKED] }],
      [
        'a block is only reported',
        false,
        { ...ACCEPTED, block: { mode: 'report', list: [REVOKED] } },
      ],
      ['it is not among the allowed models', true, { ...ACCEPTED, allow: [OTHER] }],
      ['it is among the allowed models', false, { ...ACCEPTED, allow: [REVOKED] }],
    ])('where %s, its finding is handled: %s', async (_, isHandled, rules) => {
      await policy(rules);
      const open = partOf(await page('acme-admin'), 'revoked');
      expect(open.includes('can still be registered')).toBe(!isHandled);
      expect(open === '').toBe(isHandled);
    });
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
    expect(await page('helpdesk', next)).toContain('120 keys, 120 users affected');
    const file = '/findings/keys.csv?rule=algorithms&rp=many.example';
    const { text: csv } = await clientOf(server.url, 'helpdesk').get(file);
    expect(csv.match(/"user-\d+","user-\d+","many.example"/g)).toHaveLength(120);
    expect((await clientOf(server.url, 'acme-admin').get(file)).status).toBe(404);
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
    await server.get(TenancyService).removeTenant(server.call, 'many');
  });

  async function start() {
    const options = { accounts: accountsFile(), mds: ['upload'], mdsRoots: MDS_ROOTS };
    server = await TestServer.start({ on, options });
    for (const tenant of ['acme', 'globex']) {
      await server.addRelyingParty(tenant, { domain: `${tenant}.example` });
    }
    await take(1, []);
    await enter('acme.example', 'anna');
    await enter('globex.example', 'gina');
    await take(2, [{ status: 'REVOKED', effectiveDate: '2026-02-01' }]);
    // It would end the findings that a test stores itself, some seconds after their relying party was added.
    await server.get(FindingsJob).onModuleDestroy();
  }

  async function take(no: number, more: readonly object[]): Promise<void> {
    const statusReports = [{ status: 'FIDO_CERTIFIED', effectiveDate: '2026-01-01' }, ...more];
    const entries = [modelEntry(REVOKED, {}, { statusReports })];
    await uploadBlob(server, writeBlob({ no, nextUpdate: '2099-01-01', entries }));
    await evaluateKeys(server);
  }

  /** A user with a key of the model, whose counter then goes back. */
  async function enter(domain: string, name: string): Promise<void> {
    const aaguid = aaguidBytes(REVOKED);
    const authenticator = new SoftAuthenticator({ attestation: 'packed', aaguid });
    const at = { relyingParty: domain, authenticator };
    const client = new FidoClient(server.url, at);
    expect((await client.register(name, { attestation: 'direct' })).status).toBe(200);
    expect((await client.signIn(name)).status).toBe(200);
    expect((await client.signIn(name, { signCount: 1 })).status).not.toBe(200);
  }

  async function page(role: string, path = '/findings') {
    return (await clientOf(server.url, role).get(path, HTML)).text;
  }
});

/** The part of a page with this ID; empty where the page has none. */
function partOf(html: string, id: string) {
  return new RegExp(`<section class="card" id="${id}"[^]*?</section>`).exec(html)?.[0] ?? '';
}
