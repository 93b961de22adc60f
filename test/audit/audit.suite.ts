import { DataSource } from 'typeorm';
import { Client, adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';

interface Row {
  seq: number;
  account: Buffer;
  role: string;
  address: string;
  action: string;
  tenant: Buffer | null;
  relying_party: Buffer | null;
  target: Buffer | null;
  result: string;
  code: string | null;
  detail: string;
  request_id: string;
}

describe.each(DATABASES)('the audit trail on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  const rows = () => rowsOf<Row>(server, 'SELECT * FROM audit ORDER BY seq');

  it('a change leaves a row with account, role, address, action, tenant and result', async () => {
    const answer = await admin.post(TENANTS, { tenant: 'acme' });
    expect(await lastRow()).toMatchObject({
      account: ADMIN.user,
      role: 'admin',
      address: expect.stringMatching(/127\.0\.0\.1|::1/),
      action: 'tenant.create',
      tenant: 'acme',
      result: 'ok',
      code: null,
      request_id: answer.headers.get('x-request-id'),
    });
  });

  it('the row of an issued ticket does not contain the ticket', async () => {
    const body = { username: 'älice', relyingParty: 'localhost' };
    const { ticket } = (await admin.post('/userapi/tickets', body)).body;
    const row = await lastRow();
    expect(row).toMatchObject({
      action: 'ticket.issue',
      tenant: 'default',
      relyingParty: 'localhost',
      target: 'älice',
    });
    expect(JSON.stringify(await rows())).not.toContain(ticket);
  });

  it.each([
    ['of an unknown tenant', 'nothing', {}, 'E0044R'],
    ['that another site caused', 'acme', { 'sec-fetch-site': 'cross-site' }, 'E0043R'],
  ])('a refused change %s leaves a row', async (_, tenant, headers, code) => {
    await admin.send(`${TENANTS}/${tenant}`, { method: 'DELETE', headers });
    expect(await lastRow()).toMatchObject({
      action: 'tenant.remove',
      tenant,
      result: 'refused',
      code,
    });
  });

  it.each([
    ['application-key.revoke', '/tenantapi/keys/'],
    ['webhook.remove', '/tenantapi/webhooks/'],
    ['invitation.revoke', '/userapi/invitations/'],
    ['ticket.revoke', '/userapi/tickets/'],
  ])('the row of a refused %s names the ID of the path', async (action, path) => {
    await admin.send(`${path}none`, { method: 'DELETE' });
    expect(await lastRow()).toMatchObject({ action, target: 'none', code: 'E0044R' });
  });

  it('the audit page shows why a change was refused, with the values of the sentence', async () => {
    await admin.post(TENANTS, { tenant: 'twin' });
    await admin.post(TENANTS, { tenant: 'twin' });
    const { tenant, detail } = await lastRow();
    expect(tenant).toBe('twin');
    expect(JSON.parse(detail)).toEqual({ refusal: 'tenant.taken', 'refusal.tenant': 'twin' });
    const shown = async (language: string) => {
      const headers = { accept: 'text/html', 'accept-language': language };
      return (await admin.get('/userapi/audit?limit=1', headers)).text;
    };
    expect(await shown('en')).toContain('There is already a tenant &quot;twin&quot;.');
    expect(await shown('de')).toContain('Einen Mandanten „twin“ gibt es schon.');
    expect(await shown('en')).not.toContain('refusal.tenant');
  });

  it('the row of a refusal names the scope that an application key lacked', async () => {
    const wish = { name: 'shop', tenant: 'default', scopes: ['ceremonies'] };
    const { secret } = (await admin.post('/tenantapi/keys', wish)).body;
    const body = { username: 'anna', relyingParty: 'localhost' };
    const headers = { authorization: `Bearer ${String(secret)}` };
    expect((await new Client(server.url).post('/userapi/tickets', body, headers)).status).toBe(403);
    const facts = { refusal: 'applicationKey.needsScope', 'refusal.scope': 'tickets' };
    expect(JSON.parse((await lastRow()).detail)).toMatchObject(facts);
  });

  it('the row of a refusal contains no value that the caller chose freely', async () => {
    await admin.get('/userapi/manageusers?type=disableall&filter[secret]=x');
    const { detail } = await lastRow();
    expect(JSON.parse(detail)).toEqual({ refusal: 'parameters.nested' });
  });

  it('the row of a changed key contains its name, which the page shows with its ID', async () => {
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'keyed' }]);
    const { body } = await admin.get('/users?filter=keyed');
    const [user] = body['users'] as { credentials: { credentialId: string }[] }[];
    const device = user?.credentials[0]?.credentialId ?? '';
    await admin.post('/userapi/manageusers', { type: 'disabledevice', filter: 'keyed', device });
    const { detail, action } = await lastRow();
    expect(action).toBe('credential.disable');
    expect(JSON.parse(detail)).toMatchObject({ device, deviceName: 'Security key' });
    const { text } = await admin.get('/userapi/audit?limit=1', { accept: 'text/html' });
    expect(text.replaceAll('<wbr>', '')).toMatch(
      new RegExp(`<dt>key</dt><dd>Security key <code>${device}</code></dd>`),
    );
  });

  it('reads and callers who are not signed in leave no row', async () => {
    const before = (await rows()).length;
    await admin.get(TENANTS);
    const stranger = { authorization: 'Basic bm9ib2R5Om5vYm9keQ==' };
    await admin.send(`${TENANTS}/acme`, { method: 'DELETE', headers: stranger });
    expect(await rows()).toHaveLength(before);
  });

  it('refuses a change whose row cannot be stored (E0050R), and a refusal keeps its code', async () => {
    const rename = (from: string, to: string) =>
      server.get(DataSource).query(`ALTER TABLE ${from} RENAME TO ${to}`);
    await rename('audit', 'audit_away');
    const made = await admin.post(TENANTS, { tenant: 'unseen' });
    const refused = await admin.post(TENANTS, { tenant: 'UNSEEN' });
    await rename('audit_away', 'audit');
    expect(made).toMatchObject({ status: 500, body: { errorCode: 'E0050R' } });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect(server.logged).toContainEqual(
      expect.objectContaining({ context: 'Audit', msg: expect.stringContaining('no audit row') }),
    );
    expect((await admin.post(TENANTS, { tenant: 'seen' })).status).toBe(201);
    expect(await lastRow()).toMatchObject({ tenant: 'seen', result: 'ok' });
  });

  async function lastRow() {
    const row = (await rows()).at(-1);
    if (!row) throw new Error('There is no row.');
    const { account, tenant, relying_party, target, ...others } = row;
    const text = (bytes: Buffer | null) => bytes?.toString();
    return {
      ...others,
      account: text(account),
      tenant: text(tenant),
      relyingParty: text(relying_party),
      target: text(target),
    };
  }
});
