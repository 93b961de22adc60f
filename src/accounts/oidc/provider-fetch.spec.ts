import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchOf } from './provider-fetch.js';

const MIB = 1024 * 1024;

describe('a document of a provider', () => {
  let server: Server;
  let issuer: URL;
  let closed: Promise<unknown>;
  beforeAll(async () => {
    server = createServer((request, response) => {
      closed = once(response, 'close');
      const write = () => {
        while (response.write('x'.repeat(MIB)));
      };
      if (request.url === '/small') response.end('x'.repeat(MIB));
      else {
        response.on('drain', write);
        write();
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => server.close());

  it('reads a document of the provider up to a size', async () => {
    const answer = await fetchOf(issuer)(`${issuer.origin}/small`, {});
    expect((await answer.text()).length).toBe(MIB);
  });

  it('is given up if it is larger, and the connection is closed', async () => {
    const answer = await fetchOf(issuer)(`${issuer.origin}/endless`, {});
    await expect(answer.text()).rejects.toThrow('the document is too large');
    await closed;
  });

  it.each(['http://127.0.0.1/keys', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'x'])(
    'is not read from %s if the issuer has HTTPS',
    async (address) => {
      const read = fetchOf(new URL('https://login.example.com'))(address, {});
      await expect(read).rejects.toThrow('does not begin with https://');
    },
  );
});
