import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { ROLES } from '../../src/platform/config/files/accounts-file.js';
import { SetupLog } from '../../src/health/setup/setup-log.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { ADMIN_ENDPOINTS, type AdminEndpoint } from '../support/admin-endpoints.js';
import { Client, adminClient } from '../support/client.js';
import { lastAuditRow } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** The paths of the administration. */
const ADMINISTRATION =
  /^\/?(?:userapi|users|adoption|tenantapi|tenants|console(?!\/(?:sign-in|setup)))(?:\/|$)|^\/$/;

describe('the matrix of roles', () => {
  let server: TestServer;
  let clients: Map<string, Client>;
  beforeAll(async () => {
    server = await TestServer.start({ options: { accounts: accountsFile() } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await server.addRelyingParty('shop', { domain: 'shop.example' });
    clients = new Map(
      ROLES.flatMap((role) => [
        [role, role === 'admin' ? adminClient(server.url) : clientOf(server.url, role)],
        [`acme-${role}`, clientOf(server.url, `acme-${role}`)],
      ]),
    );
  });
  afterAll(() => server.stop());

  const cases = ADMIN_ENDPOINTS.flatMap((endpoint) =>
    ROLES.map((role) => {
      const may = role === 'admin' || endpoint.roles.includes(role);
      const what = [endpoint.method, endpoint.path, JSON.stringify(endpoint.body)].join(' ');
      return { role, may, verb: may ? 'may' : 'may not', endpoint, what };
    }),
  );

  it.each(cases)('the role $role $verb call $what', async ({ role, may, endpoint }) => {
    const answer = await call(role, endpoint);
    if (may) expect([401, 403]).not.toContain(answer.status);
    else {
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      if (endpoint.changes) {
        expect(await lastAuditRow(server)).toMatchObject({
          account: role,
          result: 'refused',
          code: 'E0043R',
        });
      }
    }
  });

  it.each(cases.filter(({ may }) => may))(
    'the role $role of a tenant may call $what unless it concerns all tenants',
    async ({ role, endpoint }) => {
      const answer = await call(`acme-${role}`, endpoint);
      if (endpoint.allTenants) {
        expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      } else expect([401, 403]).not.toContain(answer.status);
    },
  );

  it.each<[string, AdminEndpoint['method'], string, object?]>([
    ['helpdesk', 'GET', '/userapi/manageusers?type=deluser'],
    ['auditor', 'GET', '/userapi/manageusers?type=disabledevice&filter=*'],
    ['finance', 'GET', '/userapi/manageusers?type=drop'],
    ['auditor', 'GET', '/userapi/invoice?invoicelog=yes&date=2024-02-30'],
    ['helpdesk', 'POST', '/userapi/user', { action: 'delete-user' }],
    ['helpdesk', 'POST', '/userapi/bulk', { action: 'delete-user', user: 'nobody' }],
  ])('refuses the role %s for %s %s without a word on its mistakes (E0043R)', async (...row) => {
    const [role, method, path, body = {}] = row;
    const sent = method === 'GET' ? {} : { body };
    const answer = await call(role, { method, path, roles: [], ...sent });
    expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
  });

  it('/status shows the configuration only to admins and auditors of all tenants', async () => {
    const shown = async (client: Client) => {
      const { status, text } = await client.get('/status', { accept: 'text/html' });
      expect([status, text.includes('<h1>Status</h1>')]).toEqual([200, true]);
      return text.includes('The audit trail is not sealed.');
    };
    for (const [name, client] of clients) {
      const may = name === 'admin' || name === 'auditor';
      expect([name, await shown(client)]).toEqual([name, may]);
    }
    expect(await shown(new Client(server.url))).toBe(false);
  });

  it('/status shows nothing of the configuration without an account', async () => {
    const read = async (client: Client) =>
      (await client.get('/status', { accept: 'text/html' })).text;
    const told = [
      '--registration',
      'Registration is open.',
      'sqlite',
      'memory',
      'features-heading',
    ];
    const stranger = await read(new Client(server.url));
    expect(stranger).toContain('The server answers.');
    expect(stranger.match(/badge good/g)).toHaveLength(2);
    for (const word of told) expect([word, stranger.includes(word)]).toEqual([word, false]);
    const page = await read(clientOf(server.url, 'acme-helpdesk'));
    for (const word of told) expect([word, page.includes(word)]).toEqual([word, true]);
  });

  it('/status shows the view of a stranger for a wrong password, which the log reports', async () => {
    const main = async (client: Client) => {
      const { text } = await client.get('/status', { accept: 'text/html' });
      return text
        .slice(text.indexOf('<main'))
        .replace(/[\d.]+ ms/g, '')
        .replace(/<footer.*/s, '');
    };
    const wrong = clientOf(server.url, 'auditor', 'wrong');
    expect(await main(wrong)).toBe(await main(new Client(server.url)));
    const lines = server.logged.map(({ msg }) => msg);
    expect(lines).toContainEqual(expect.stringMatching(/^A sign-in from .* failed\.$/));
  });

  it('the log warns of a bad configuration only once', async () => {
    const told = () => server.logged.filter(({ context }) => context === 'Setup');
    await server.get(SetupLog).runNow();
    const lines = told().map(({ msg }) => String(msg));
    expect(lines).toContainEqual(expect.stringContaining('Set --audit-key-file.'));
    expect(lines).toContainEqual(expect.stringContaining('No backup has been made yet.'));
    await server.get(SetupLog).runNow();
    expect(told()).toHaveLength(lines.length);
  });

  it('the matrix of roles has a row for every path of the administration', () => {
    const paths = ADMIN_ENDPOINTS.map(({ method, path }) => [method, path.split('?')[0] ?? '']);
    const missing = routesOf(server)
      .filter(({ path }) => ADMINISTRATION.test(path))
      .flatMap(({ methods, path, matches }) =>
        methods
          .filter((method) => !paths.some(([m, p]) => m === method && matches(p ?? '')))
          .map((method) => `${method} ${path}`),
      );
    expect(missing).toEqual([]);
  });

  function call(name: string, { method, path, body }: AdminEndpoint) {
    const client = clients.get(name) as Client;
    return client.send(path, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-servicefido-relyingparty': 'acme.example',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  }
});

function routesOf(server: TestServer): Route[] {
  const app = server.get(HttpAdapterHost).httpAdapter.getInstance<Express>();
  return (app.router.stack as unknown as Layer[]).flatMap((layer) => {
    // The route that refuses `TRACE` is not an endpoint.
    if (!layer.route || layer.route.methods['trace']) return [];
    const { path, methods } = layer.route;
    const names = Object.keys(methods).map((method) => method.toUpperCase());
    return [{ path, methods: names, matches: (asked: string) => layer.match(asked) }];
  });
}

interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  matches(path: string): boolean;
}

/** A layer of Express's router, which its types do not show in full. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}
