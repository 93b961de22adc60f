import { Client, adminClient } from '../support/client.js';
import { PATHS } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

describe('the OpenAPI document', () => {
  let server: TestServer;
  let document: OpenApi;
  beforeAll(async () => {
    server = await TestServer.start();
    const { text } = await new Client(server.url).get('/docs/openapi.json');
    document = JSON.parse(text) as OpenApi;
  });
  afterAll(() => server.stop());

  it('describes the four calls on both paths, and the administration', () => {
    const described = Object.keys(document.paths);
    const calls = [...Object.values(PATHS.certify), ...Object.values(PATHS.alias)];
    expect(described).toEqual(expect.arrayContaining(calls));
    expect(described).toEqual(
      expect.arrayContaining([
        '/tenantapi/tenants',
        '/tenantapi/tenants/{tenant}/relying-parties/{domain}',
        '/userapi/tickets',
        '/.well-known/jwks.json',
        '/health/ready',
      ]),
    );
  });

  it('describes nothing that the server does not have', async () => {
    const admin = adminClient(server.url);
    for (const [template, methods] of Object.entries(document.paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'nothing');
      for (const method of Object.keys(methods)) {
        const body = method === 'get' || method === 'delete' ? {} : { body: '{}' };
        const headers = { 'content-type': 'application/json' };
        const { body: answer } = await admin.send(path, {
          method: method.toUpperCase(),
          headers,
          ...body,
        });
        expect(`${method} ${template}: ${answer.errorCode}`).not.toContain('E0047R');
      }
    }
  });
});
