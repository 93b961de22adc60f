import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { adminClient, type Client } from '../support/client.js';
import { TestServer } from '../support/test-server.js';

/** A layer of Express's router, which its types do not show in full. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** The last route refuses the method `TRACE` and is not an endpoint. */
const isEndpoint = ({ route }: Layer) => route !== undefined && !route.methods['trace'];

const isParameter = (segment = '') => segment.startsWith(':');

/** Whether both segments of two paths match one text: `:domain` matches no word that begins with an underscore. */
function canMeet(one: string, other = ''): boolean {
  if (one === ':domain' && other.startsWith('_')) return false;
  if (other === ':domain' && one.startsWith('_')) return false;
  return one === other || isParameter(one) || isParameter(other);
}

function matchOnePath(one: string, other: string): boolean {
  const segments = one.split('/');
  const others = other.split('/');
  return segments.length === others.length && segments.every((one, n) => canMeet(one, others[n]));
}

describe('the routes', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  const stack = () =>
    server.get(HttpAdapterHost).httpAdapter.getInstance<Express>().router
      .stack as unknown[] as Layer[];

  it('has no two routes of a method that match one path', () => {
    const routes = stack()
      .filter(isEndpoint)
      .flatMap(({ route: { methods = {}, path = '' } = {} }) =>
        Object.keys(methods).map((method) => ({ method, path })),
      );
    const contested = routes.flatMap(({ method, path }, index) =>
      routes
        .slice(index + 1)
        .filter((other) => other.method === method && matchOnePath(other.path, path))
        .map((other) => `${method} ${path} ${other.path}`),
    );
    expect(routes.length).toBeGreaterThan(200);
    expect(contested).toEqual([]);
  });

  describe.each(['as declared', 'reversed'])('in the order %s', (order) => {
    const reverse = () => {
      const layers = stack();
      const reversed = layers.filter(isEndpoint).reverse();
      for (const [index, layer] of layers.entries()) {
        if (isEndpoint(layer)) layers[index] = reversed.shift() as Layer;
      }
    };
    beforeAll(() => {
      if (order === 'reversed') reverse();
    });

    it.each([
      ['_keys', 'Application keys'],
      ['_webhooks', 'Webhooks'],
      ['localhost', 'localhost'],
    ])('a GET of /tenants/default/%s shows the page %s', async (word, title) => {
      const { text } = await admin.get(`/tenants/default/${word}`, { accept: 'text/html' });
      expect(/<title>([^<]*)/.exec(text)?.[1]).toContain(title);
    });

    it.each(['_rename', '_remove'])('a GET of /tenants/default/%s is not allowed', async (word) => {
      const { status, headers } = await admin.get(`/tenants/default/${word}`);
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    });

    it.each(['_keys', '_webhooks', '_rename', '_remove'])(
      'a POST to /tenants/default/%s reaches the page of the tenant',
      async (word) => {
        const { status } = await admin.send(`/tenants/default/${word}`, {
          method: 'POST',
          headers: {
            accept: 'text/html',
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: '',
        });
        // The page of a relying party would not find one of this name.
        expect(status).toBe(400);
      },
    );
  });
});
