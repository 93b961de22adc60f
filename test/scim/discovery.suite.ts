import { ScimClient, expectScimError } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';
import { adminClient } from '../support/client.js';

describe('a server without --scim', () => {
  it('a server without --scim has no path of SCIM', async () => {
    const server = await TestServer.start({ options: { domain: 'localhost' } });
    try {
      const directory = await ScimClient.start(server.url, {
        tenant: 'default',
        domain: 'localhost',
      });
      for (const path of ['/Users', '/ServiceProviderConfig']) {
        const { status, body } = await directory.call('GET', path);
        expect({ status, code: body.errorCode }).toEqual({ status: 404, code: 'E0047R' });
      }
    } finally {
      await server.stop();
    }
  });
});

describe('the discovery of SCIM', () => {
  let server: TestServer;
  let directory: ScimClient;
  beforeAll(async () => {
    server = await TestServer.start({ options: { scim: true } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    directory = await ScimClient.start(server.url, { tenant: 'acme', domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  it('says what is supported and what is not', async () => {
    const { status, body } = await directory.call('GET', '/ServiceProviderConfig');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
    });
  });

  it('answers the attributes whose sub-attributes a directory asks for', async () => {
    const asked = 'attributes=patch.supported,filter.maxResults';
    const { status, body } = await directory.call('GET', `/ServiceProviderConfig?${asked}`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['schemas', 'id', 'patch', 'filter']);
  });

  it('lists resource types and schemas, and shows each', async () => {
    for (const path of ['/ResourceTypes', '/Schemas']) {
      const { body } = await directory.call('GET', path);
      const resources = body['Resources'] as { id: string }[];
      expect(body['totalResults']).toBe(resources.length);
      for (const { id } of resources) {
        const one = await directory.call('GET', `${path}/${id}`);
        expect(one).toMatchObject({ status: 200, body: { id } });
      }
      expectScimError(await directory.call('GET', `${path}/x`), 404, 'E0044R nothing.matches');
    }
  });

  it('says whether user names depend on their case', async () => {
    const path = '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User';
    const caseExact = async () => {
      const { body } = await directory.call('GET', path);
      const attributes = body['attributes'] as { name: string; caseExact: boolean }[];
      return attributes.find(({ name }) => name === 'userName')?.caseExact;
    };
    expect(await caseExact()).toBe(true);
    const policy = { usernames: 'case-insensitive' };
    const { status } = await adminClient(server.url).patch(
      '/tenantapi/tenants/acme/relying-parties/acme.example',
      { policy },
    );
    expect(status).toBe(200);
    expect(await caseExact()).toBe(false);
  });

  it.each(['POST /Bulk', 'POST /.search', 'GET /Me', 'GET /Users/x/y', 'DELETE /Users'])(
    'answers %s with an error of SCIM',
    async (call) => {
      const [method = '', path = ''] = call.split(' ');
      const answer = await directory.call(method, path, method === 'POST' ? {} : undefined);
      const [status, reason] =
        call === 'DELETE /Users' ? [405, 'path.method'] : [404, 'path.unknown'];
      expectScimError(answer, Number(status), `E0047R ${reason}`);
    },
  );
});
