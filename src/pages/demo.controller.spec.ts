import type { AddressInfo } from 'node:net';
import { request, type Server } from 'node:http';
import express from 'express';
import { redirectToLocalhost } from './demo.controller.js';

describe('redirectToLocalhost', () => {
  let server: Server;

  beforeAll(async () => {
    const app = express();
    app.get('/demo', redirectToLocalhost, (_request, response) => response.send('here'));
    await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
  });
  afterAll(() => server.close());

  const locationFor = (host: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      request({ port, host: '127.0.0.1', path: '/demo?a=b', headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.headers.location);
      })
        .on('error', reject)
        .end();
    });

  it.each(['127.0.0.1:8080', '127.9.8.7:8080', '[::1]:8080'])(
    'redirects %s to localhost with port and query kept',
    async (host) => expect(await locationFor(host)).toBe('http://localhost:8080/demo?a=b'),
  );

  it('redirects to localhost without the default port', async () =>
    expect(await locationFor('127.0.0.1')).toBe('http://localhost/demo?a=b'));

  it.each(['localhost:8080', 'fido.example.com', '127.0.0.1.example.com', '10.0.0.1'])(
    'redirectToLocalhost does not redirect from %s to localhost',
    async (host) => expect(await locationFor(host)).toBeUndefined(),
  );
});
