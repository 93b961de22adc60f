import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchList } from './list-client.js';

describe('fetchList', () => {
  let web: Server;
  let origin = '';
  let asked = 0;
  beforeAll(async () => {
    web = createServer(({ url }, response) => {
      asked += 1;
      if (url === '/list') return response.end('list');
      if (url === '/large') return response.end(Buffer.alloc(1024 * 1024 + 1));
      const to = { '/here': '/list', '/round': '/round', '/file': 'file:///etc/passwd' }[url ?? ''];
      return response.writeHead(to ? 302 : 404, to ? { location: to } : {}).end();
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  });
  afterAll(() => web.close());

  const { signal } = new AbortController();
  const get = (path: string) => fetchList(origin + path, { anywhere: true, signal });

  it('fetches a revocation list, even through a redirect', async () => {
    expect(await Promise.all(['/list', '/here'].map(get))).toEqual([
      Buffer.from('list'),
      Buffer.from('list'),
    ]);
  });

  it.each([
    ['/none', 'status 404'],
    ['/large', 'larger than 1 MiB'],
    ['/round', 'redirects more than 3 times'],
    ['/file', 'redirects to where no list is fetched from'],
  ])('refuses the revocation list at %s: %s', async (path, sentence) => {
    await expect(get(path)).rejects.toThrow(sentence);
  });

  it('fetches no revocation list from addresses that are not public', async () => {
    const before = asked;
    const hosts = [origin, origin.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254'];
    for (const host of hosts) {
      const asking = fetchList(`${host}/list`, { anywhere: false, signal });
      await expect(asking).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' });
    }
    expect(asked).toBe(before);
  });
});
