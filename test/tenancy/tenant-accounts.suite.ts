import { AuditTrail } from '../../src/audit/audit-trail.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { adminClient, type Client } from '../support/client.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';

describe.each(DATABASES)('an administrator of one tenant on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  let own: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    await addWithUser('acme');
    await addWithUser('shop');
    admin = adminClient(server.url);
    own = clientOf(server.url, 'acme-admin');
  });
  afterAll(() => server.stop());

  async function addWithUser(tenant: string): Promise<void> {
    const domain = `${tenant}.example`;
    await server.addRelyingParty(tenant, { domain });
    const site = { relyingParty: domain };
    await new FidoClient(server.url, site).register(`user-of-${tenant}`);
  }

  const send = (client: Client, method: string, path: string, body?: unknown) =>
    client.sendJson(method, TENANTS + path, { body });

  it('an administrator of one tenant sees no other tenant', async () => {
    const { body } = await own.get(TENANTS);
    expect(body['tenants']).toEqual([expect.objectContaining({ tenant: 'acme' })]);
    const page = await own.get('/', { accept: 'text/html' });
    expect(page.text).toContain('acme.example');
    expect(page.text).not.toContain('shop.example');
  });

  it('an administrator of one tenant erases no facts about accounts, policies and keys', async () => {
    const by = { account: 'admin', role: 'admin', address: '192.0.2.1', result: 'ok' } as const;
    const facts = { requestId: 'x', target: 'mallory' };
    const former = { tenant: 'former', relyingParty: 'acme.example' };
    const trail = server.get(AuditTrail);
    await trail.append({ ...by, ...facts, action: 'account.create', detail: { role: 'auditor' } });
    await trail.append({ ...by, ...facts, action: 'ticket.issue', ...former });
    await send(own, 'PATCH', '/acme/relying-parties/acme.example', {
      policy: { registration: 'open', residentKey: 'required' },
    });
    const rows = async () => {
      const { body } = await admin.get('/userapi/audit?limit=1000');
      const entries = body['entries'] as { action: string }[];
      return entries.filter(({ action }) =>
        /^(account|relying-party|tenant|ticket)\./.test(action),
      );
    };
    const before = await rows();
    expect(before).toContainEqual(expect.objectContaining({ target: 'mallory' }));
    for (const name of ['mallory', 'auditor', 'open', 'required', 'acme.example']) {
      const fields = { rp: 'acme.example', name, confirm: name };
      const answer = await sendForm(server, '/userapi/user/erasure', fields, {
        name: 'acme-admin',
      });
      expect([name, answer.status]).toEqual([name, 404]);
    }
    expect(await rows()).toEqual(before);
  });

  it('an auditor of one tenant sees the refused changes of its accounts', async () => {
    const auditor = clientOf(server.url, 'acme-auditor');
    const helpdesk = clientOf(server.url, 'acme-helpdesk');
    const named = { username: 'user-of-acme', relyingParty: 'acme.example' };
    const site = { headers: { 'x-servicefido-relyingparty': 'acme.example' } };
    const deletion = { type: 'deluser', filter: 'user-of-acme' };
    const refused = [
      await helpdesk.post('/userapi/invitations', { ...named, ttl: 3600, minKeys: 1 }),
      await helpdesk.post('/userapi/invitations', { ...named, ttl: 'x' }),
      await helpdesk.post('/userapi/tickets', { ...named, ttl: 'x' }),
      await helpdesk.post('/userapi/tickets', { ...named, relyingParty: 'shop.example' }),
      await helpdesk.post('/userapi/manageusers', deletion, site.headers),
      await auditor.patch('/userapi/users', { ...named, displayName: 'X' }),
      await helpdesk.send('/userapi/import', { method: 'POST', body: new FormData(), ...site }),
    ];
    const { body } = await auditor.get(`/userapi/audit?result=refused&limit=${refused.length}`);
    const at = { tenant: 'acme', relyingParty: 'acme.example' };
    const invitation = { ...at, action: 'invitation.issue', target: 'user-of-acme' };
    expect((body['entries'] as object[]).toReversed()).toMatchObject([
      { ...invitation, code: 'E0045R', detail: { refusal: 'invitation.noPage' } },
      invitation,
      { ...at, action: 'ticket.issue', code: 'E0045R' },
      { tenant: 'acme', action: 'ticket.issue', target: 'user-of-acme' },
      { tenant: 'acme', action: 'user.delete', target: 'user-of-acme', code: 'E0043R' },
      { ...at, action: 'user.rename', target: 'user-of-acme', code: 'E0043R' },
      { tenant: 'acme', action: 'users.import', code: 'E0043R' },
    ]);
  });

  it('manages the relying parties of its tenant', async () => {
    const path = '/acme/relying-parties';
    const made = await send(own, 'POST', path, { domain: 'new.acme.example' });
    expect(made.status).toBe(201);
    const changed = await send(own, 'PATCH', `${path}/new.acme.example`, { name: 'New' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'New' } });
    expect((await send(own, 'DELETE', `${path}/new.acme.example`)).status).toBe(200);
    expect((await send(own, 'PATCH', '/acme', { displayName: 'Acme' })).status).toBe(200);
  });

  it.each([
    ['PATCH', '/shop', { displayName: 'mine' }],
    ['GET', '/shop/relying-parties', undefined],
    ['POST', '/shop/relying-parties', { domain: 'other.example' }],
    ['PATCH', '/shop/relying-parties/shop.example', { name: 'mine' }],
    ['DELETE', '/shop/relying-parties/shop.example', undefined],
  ])(
    'an administrator of one tenant gets the answer for an unknown tenant from %s %s',
    async (method, path, body) => {
      const before = await server.snapshot();
      const answer = await send(own, method, path, body);
      const nothing = await send(own, method, path.replace('/shop', '/nothing'), body);
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
      expect(nothing.body).toEqual({ ...answer.body, requestId: expect.any(String) });
      expect(await server.snapshot()).toBe(before);
    },
  );

  it.each([
    ['POST', '', { tenant: 'third' }],
    ['DELETE', '/acme', undefined],
    ['DELETE', '/shop', undefined],
  ])(
    'an administrator of one tenant is refused %s %s, which concerns all tenants (E0043R)',
    async (method, path, body) => {
      const before = await server.snapshot();
      const answer = await send(own, method, path, body);
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      expect(await server.snapshot()).toBe(before);
    },
  );

  it('issues tickets only for its own relying parties, and E0025R lists no others', async () => {
    const ticket = (relyingParty: string) =>
      own.post('/userapi/tickets', { username: 'alice', relyingParty });
    expect((await ticket('acme.example')).status).toBe(201);
    const refused = await ticket('shop.example');
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCode: 'E0025R', domains: ['acme.example'] },
    });
  });

  it('lists only the users of its tenant', async () => {
    const { text } = await own.get('/userapi/manageusers');
    expect(text).toContain('user-of-acme');
    expect(text).not.toContain('user-of-shop');
    const shop = { 'x-servicefido-relyingparty': 'shop.example' };
    const named = await own.get('/userapi/manageusers', shop);
    expect([400, 403, 404]).toContain(named.status);
    expect(named.text).not.toContain('user-of-shop');
  });

  it('finds only rows of its tenant in the audit trail', async () => {
    await send(admin, 'PATCH', '/shop', { displayName: 'Shop' });
    for (const displayName of ['One', 'Two', 'Three', 'Four']) {
      await send(own, 'PATCH', '/acme', { displayName });
    }
    const auditor = clientOf(server.url, 'acme-auditor');
    const { body } = await auditor.get('/userapi/audit?limit=1000');
    const tenants = (body['entries'] as { tenant: string }[]).map(({ tenant }) => tenant);
    expect(tenants.length).toBeGreaterThan(3);
    expect(new Set(tenants)).toEqual(new Set(['acme']));
    const all = await admin.get('/userapi/audit?limit=1000');
    expect(all.text).toContain('"tenant":"shop"');
  });

  it('leaves no row of its attempts in the audit trail of another tenant', async () => {
    await send(own, 'PATCH', '/shop', { displayName: 'mine' });
    const { body } = await admin.get('/userapi/audit?account=acme-admin&limit=1');
    const row = { action: 'tenant.change', result: 'refused', tenant: 'acme', target: 'shop' };
    expect(body['entries']).toMatchObject([row]);
  });

  describe('whose tenant is deleted', () => {
    beforeEach(async () => {
      expect((await send(admin, 'DELETE', '/acme')).status).toBe(200);
    });
    afterEach(() => addWithUser('acme'));

    it('an administrator of one tenant sees the audit row of its tenant’s deletion', async () => {
      expect((await own.get(TENANTS)).body['tenants']).toEqual([]);
      const { body } = await admin.get('/userapi/audit?limit=1');
      expect(body['entries']).toEqual([
        expect.objectContaining({ action: 'tenant.remove', tenant: 'acme', result: 'ok' }),
      ]);
      const { text } = await clientOf(server.url, 'acme-auditor').get('/userapi/audit');
      expect(text).toContain('tenant.remove');
    });

    it('finds nothing about a former tenant of the same name in the audit trail', async () => {
      expect((await send(admin, 'POST', '', { tenant: 'acme' })).status).toBe(201);
      const auditor = clientOf(server.url, 'acme-auditor');
      const actions = async () => {
        const { body } = await auditor.get('/userapi/audit?limit=1000');
        return (body['entries'] as { action: string }[]).map(({ action }) => action);
      };
      expect(await actions()).toEqual(['tenant.create']);
      await send(admin, 'PATCH', '/acme', { displayName: 'The other Acme' });
      expect(await actions()).toEqual(['tenant.change', 'tenant.create']);
      // Its dashboard shows the newest rows.
      const { text } = await auditor.get('/', { accept: 'text/html' });
      expect(text).not.toContain('tenant.remove');
    });
  });
});
