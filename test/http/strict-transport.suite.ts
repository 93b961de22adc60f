import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { TestServer } from '../support/test-server.js';

/** RFC 6797 §7.1–7.2: only answers over HTTPS tell browsers to stay there. */
describe('HSTS', () => {
  let trusting: TestServer;
  let direct: TestServer;
  beforeAll(async () => {
    [trusting, direct] = await Promise.all([
      TestServer.start({ options: { trustProxy: 1 } }),
      TestServer.start(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([trusting.stop(), direct.stop()]);
  });

  async function headerOf({ url }: TestServer, path: string, headers: Record<string, string>) {
    const [answer] = (await once(request(`${url}${path}`, { headers }).end(), 'response')) as [
      IncomingMessage,
    ];
    answer.resume();
    return answer.headers['strict-transport-security'];
  }

  it.each(['/status', '/fidoapi/test', '/userapi', '/sdk/servicefido.js', '/nothing'])(
    'the answer to %s has HSTS, for this host only, behind a trusted proxy with HTTPS',
    async (path) => {
      const headers = { host: 'fido.example', 'x-forwarded-proto': 'https' };
      expect(await headerOf(trusting, path, headers)).toBe('max-age=15724800');
    },
  );

  it('a proxy may write the scheme HTTPS in any case (RFC 3986 §3.1)', async () => {
    const headers = { host: 'fido.example', 'x-forwarded-proto': 'HTTPS' };
    expect(await headerOf(trusting, '/status', headers)).toBe('max-age=15724800');
  });

  it('an answer has no HSTS over plain HTTP, on loopback names or behind an untrusted proxy', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    expect(await headerOf(trusting, '/status', { host: 'fido.example' })).toBeUndefined();
    expect(
      await headerOf(trusting, '/status', { host: 'localhost:8080', ...https }),
    ).toBeUndefined();
    expect(await headerOf(direct, '/status', { host: 'fido.example', ...https })).toBeUndefined();
  });
});
