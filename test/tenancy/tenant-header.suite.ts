import { accountsFile, clientOf } from '../support/accounts.js';
import { ADMIN_ENDPOINTS } from '../support/admin-endpoints.js';
import { adminClient, type Client } from '../support/client.js';
import { rowsOf } from '../support/rows.js';
import { DESCRIBED_CALLS, type DescribedCall } from '../support/api/described-calls.js';
import { TestServer } from '../support/test-server.js';

/** A call below `/userapi` or `/users`, with the body that its guards demand. */
interface AdminCall {
  readonly method: string;
  readonly path: string;
  readonly body?: string | FormData;
  readonly type?: string;
}

const CONCERNED = /^\/(?:userapi|users)(?:[/?]|$)/;

const WRONG = [
  ['unknown.example', 'E0025R'],
  ['https://a b.example', 'E0026R'],
] as const;

describe('the tenant header of the administration', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    // `--domain` belongs to another tenant: it must not count in billing and audit.
    server = await TestServer.start({
      options: {
        accounts: accountsFile(),
        domain: 'default.example',
        mds: ['upload'],
        aaguid: true,
      },
    });
    admin = adminClient(server.url);
    for (const tenant of ['acme', 'globex']) {
      await server.addRelyingParty(tenant, { domain: `${tenant}.example` });
    }
    await server.addRelyingParty('acme', { domain: 'shop.example' });
  });
  afterAll(() => server.stop());

  const stored = () => rowsOf(server, 'SELECT * FROM invoices');

  it.each(WRONG)(
    'every described operation below /userapi and /users refuses the header "%s" (%s)',
    async (domain, code) => {
      const calls = describedCalls();
      expect(calls.length).toBeGreaterThan(45);
      const answers = [];
      for (const call of calls) {
        const { status, body } = await send(call, domain);
        answers.push([call.method, call.path, status, body.errorCode]);
      }
      expect(answers).toEqual(calls.map(({ method, path }) => [method, path, 400, code]));
    },
  );

  it.each(WRONG)(
    'every page and form below /userapi and /users refuses the header "%s" (%s)',
    async (domain, code) => {
      const calls = pageCalls();
      const passed = [];
      for (const call of calls) {
        const { status, body } = await send(call, domain);
        // A call of the API that takes JSON refuses a form first.
        if (status !== 415 && body.errorCode !== code) passed.push([call, status, body]);
      }
      expect(passed).toEqual([]);
      const unknown = await at(domain, '/userapi/no-such-page');
      expect(unknown.body.errorCode).toBe(code);
    },
  );

  it('E0025R lists only the domains that the account may see', async () => {
    for (const path of ['/userapi/invoice', '/userapi/invoiceest', '/userapi/invoices']) {
      const answer = await at('globex.example', path, clientOf(server.url, 'acme-finance'));
      expect(answer).toMatchObject({
        status: 400,
        body: { errorCode: 'E0025R', domains: ['acme.example', 'shop.example'] },
      });
    }
  });

  it('an account of another tenant than that of --domain may name its relying party in a parameter', async () => {
    const own = clientOf(server.url, 'acme-admin');
    const path = '/userapi/findings';
    expect((await own.get(`${path}?relyingParty=acme.example`)).status).toBe(200);
    const ticket = { username: 'ann', relyingParty: 'shop.example' };
    expect((await own.post('/userapi/tickets', ticket)).status).toBe(201);
    const foreign = await own.get(`${path}?relyingParty=globex.example`);
    const nameless = await own.get(path);
    for (const { status, body } of [foreign, nameless]) {
      expect([status, body.errorCode]).toEqual([400, 'E0025R']);
      expect(body['domains']).toEqual(['acme.example', 'shop.example']);
    }
  });

  it('stores the invoice of the header’s tenant alone, and no other', async () => {
    await rowsOf(server, 'DELETE FROM invoices');
    const before = (await stored()).length;
    const { status, body } = await at('acme.example', '/userapi/invoice?invoicelog=yes');
    expect(status).toBe(200);
    expect(tenantsIn(body)).toEqual(['acme']);
    expect(body['stored']).toMatchObject([{ tenant: 'acme' }]);
    expect(await stored()).toHaveLength(before + 1);
    const [{ tenant }] = (await rowsOf<{ tenant: Buffer }>(
      server,
      "SELECT tenant FROM audit WHERE action = 'invoice.issue' AND result = 'ok' ORDER BY seq DESC",
    )) as [{ tenant: Buffer }];
    expect(tenant.toString()).toBe('acme');
    const again = await admin.post(
      '/userapi/invoice',
      { relyingParty: 'HTTPS://Globex.example/', tenant: 'globex', invoicelog: 'yes' },
      { 'x-servicefido-relyingparty': 'globex.example' },
    );
    expect(tenantsIn(again.body)).toEqual(['globex']);
    expect(await stored()).toHaveLength(before + 2);
  });

  it('limits reads of invoices to the header’s tenant, and takes nothing from --domain', async () => {
    expect(tenantsIn((await at('shop.example', '/userapi/invoice')).body)).toEqual(['acme']);
    const all = await admin.get('/userapi/invoice');
    expect(tenantsIn(all.body)).toEqual(['acme', 'default', 'globex']);
    const numberOf = async (path: string, domain?: string) => {
      const { body } = domain === undefined ? await admin.get(path) : await at(domain, path);
      return (body['invoices'] as { tenants: string[]; number: string }[]).map(
        ({ tenants, number }) => [tenants, number] as const,
      );
    };
    for (const domain of ['acme.example', 'globex.example']) {
      await at(domain, '/userapi/invoice?invoicelog=yes');
    }
    const [newest, next] = await numberOf('/userapi/invoices');
    expect([newest?.[0], next?.[0]]).toEqual([['globex'], ['acme']]);
    const own = await numberOf('/userapi/invoices', 'acme.example');
    expect(new Set(own.flatMap(([tenants]) => tenants))).toEqual(new Set(['acme']));
    const path = `/userapi/invoices/${own[0]?.[1]}`;
    expect((await at('shop.example', path)).status).toBe(200);
    expect((await at('globex.example', path)).body.errorCode).toBe('E0044R');
    const estimate = await at('globex.example', '/userapi/invoiceest');
    expect(estimate.body['basis']).toMatchObject({ relyingParties: 1 });
  });

  it.each([
    ['GET', '/userapi/invoice?tenant=globex&invoicelog=yes', ''],
    ['GET', '/userapi/invoice?relyingParty=globex.example', ''],
    ['GET', '/userapi/invoice?relyingParty=acme.example&relyingParty=globex.example', ''],
    ['POST', '/userapi/invoice', '{"tenant":"globex","invoicelog":"yes"}'],
    ['POST', '/userapi/invoice', '{"relyingParty":"globex.example"}'],
    ['GET', '/userapi/invoices?tenant=globex', ''],
    ['GET', '/userapi/invoiceest?tenant=globex', ''],
    ['GET', '/userapi/audit?relyingParty=globex.example', ''],
  ])('refuses %s %s %s, which contradicts the header (E0045R)', async (method, path, body) => {
    const before = await stored();
    const call = { method, path, ...(body !== '' && { body }) };
    const answer = await send({ ...call, type: 'application/json' }, 'acme.example');
    expect(answer).toMatchObject({
      status: 400,
      body: { errorCode: 'E0045R', reason: 'relyingParty.contradicted' },
    });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['GET', '/userapi/audit?tenant=acme', ''],
    ['GET', '/userapi/audit?relyingParty=acme.example', ''],
    ['GET', '/userapi/invoiceest?tenant=acme', ''],
    ['GET', '/userapi/invoice?relyingParty=acme.example', ''],
    ['GET', '/userapi/events?relyingParty=acme.example', ''],
    ['GET', '/userapi/users?search=a&tenant=acme', ''],
    ['GET', '/userapi/adoption/targets?relyingParty=acme.example', ''],
    ['GET', '/userapi/collisions?tenant=acme', ''],
    ['POST', '/userapi/manageusers', '{"type":"disableall","filter":"a","tenant":"acme"}'],
  ])(
    'refuses %s %s %s without the header instead of ignoring the name',
    async (method, path, body) => {
      const before = await server.snapshot();
      const answer = await admin.send(path, {
        method,
        ...(body !== '' && { body, headers: { 'content-type': 'application/json' } }),
      });
      expect(answer).toMatchObject({
        status: 400,
        body: { errorCode: 'E0045R', reason: 'parameters.noFilter' },
      });
      expect(answer.body.errorMessage).toContain('X-ServiceFido-RelyingParty');
      expect(await server.snapshot()).toBe(before);
    },
  );

  it.each([
    ['POST', '/userapi/tickets', '{"username":"ann","relyingParty":"globex.example"}'],
    ['GET', '/userapi/adoption?relyingParty=globex.example', ''],
    ['GET', '/userapi/findings?relyingParty=globex.example', ''],
  ])(
    'warns at %s %s %s that the header, which names another relying party, was ignored',
    async (method, path, body) => {
      const call = { method, path, ...(body !== '' && { body }), type: 'application/json' };
      const apart = await send(call, 'acme.example');
      expect(apart.status).toBeLessThan(300);
      expect(apart.body['warnings']).toEqual([
        'The header X-ServiceFido-RelyingParty was ignored: "relyingParty" names another tenant ' +
          'or relying party.',
      ]);
      expect((await send(call, 'globex.example')).body).not.toHaveProperty('warnings');
    },
  );

  it('refuses a name that contradicts the header, where the call would ignore it (E0045R)', async () => {
    const events = (more: string) => at('acme.example', `/userapi/events?user=a${more}`);
    const foreign = await events('&relyingParty=globex.example');
    expect(foreign.body).toMatchObject({ reason: 'relyingParty.contradicted' });
    expect((await events('&relyingParty=acme.example&tenant=acme')).status).toBe(200);
  });

  it('shows the audit rows of the header’s relying party alone', async () => {
    const entriesAt = async (domain: string) => {
      const { body } = await at(domain, '/userapi/audit?limit=1000');
      return body['entries'] as { tenant: string; relyingParty: string; action: string }[];
    };
    const ticket = { username: 'ann', relyingParty: 'shop.example' };
    expect((await admin.post('/userapi/tickets', ticket)).status).toBe(201);
    const found = await entriesAt('shop.example');
    expect(found.map(({ action }) => action)).toContain('ticket.issue');
    expect(new Set(found.map(({ relyingParty }) => relyingParty))).toEqual(
      new Set(['shop.example']),
    );
    const others = await entriesAt('acme.example');
    expect(others.filter(({ relyingParty }) => relyingParty !== 'acme.example')).toEqual([]);
  });

  function send({ method, path, body, type }: AdminCall, domain: string) {
    return admin.send(path, {
      method,
      ...(body !== undefined && { body }),
      headers: {
        'x-servicefido-relyingparty': domain,
        ...(type !== undefined && { 'content-type': type }),
      },
    });
  }

  function at(domain: string, path: string, client = admin) {
    return client.get(path, { 'x-servicefido-relyingparty': domain });
  }

  function tenantsIn(body: Record<string, unknown>) {
    return (body['invoice'] as { tenants: { tenant: string }[] }).tenants.map(
      ({ tenant }) => tenant,
    );
  }
});

/** Every such operation of the OpenAPI document, called with the document's examples. */
function describedCalls(): AdminCall[] {
  return DESCRIBED_CALLS.filter(({ path }) => CONCERNED.test(path)).map(
    ({ method, path, parameters = [], requestBody }) => {
      const exampleOf = (name: string) =>
        String(parameters.find((one) => one.name === name)?.example);
      return {
        method,
        path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name)),
        ...bodyOf(requestBody),
      };
    },
  );
}

function bodyOf({ content }: NonNullable<DescribedCall['requestBody']> = { content: {} }) {
  const json = content['application/json'];
  if (json) return { body: JSON.stringify(json.example ?? {}), type: 'application/json' };
  if (!content['multipart/form-data']) return {};
  const body = new FormData();
  body.append('file', new Blob(['alice@example.com\n']), 'list.txt');
  return { body };
}

/** The pages and the forms of the same paths, which the document does not describe. */
function pageCalls(): AdminCall[] {
  return ADMIN_ENDPOINTS.filter(({ path }) => CONCERNED.test(path)).map(
    ({ method, path, body }) => ({
      method,
      path,
      ...(body && { body: '', type: 'application/x-www-form-urlencoded' }),
    }),
  );
}
