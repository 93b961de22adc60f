import { FidoClient, PATHS } from '../support/fido-client.js';
import { flood } from '../support/flood.js';
import { IS_HARNESS, report, sized } from '../support/harness.js';
import { ServerProcess } from '../support/server-process.js';

const HEAP_MB = 256;
const SHORT_CALLS = 14_000;
const OPTIONS = [
  '--trust-proxy',
  '1',
  '--log-level',
  'warn',
  '--session',
  '600',
  '--rate-user',
  '1000000',
];
const MS = sized(0) * 1000;

/** The largest text in memory: quotes, which JSON escapes, and one character that is not Latin-1. */
const keypair = { quotes: `${'"'.repeat(2030)}界` };
const heaviest = (n: number) => {
  const username = `${n}${'"'.repeat(240)}`;
  return { username, displayName: username, keypair };
};

describe('the memory that strangers can fill', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    // X-Forwarded-For names the caller.
    server = new ServerProcess([...OPTIONS], {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    });
    await server.start();
  });
  afterAll(() => server.remove());

  it('heavy begin calls of one address neither end the process nor evict others’ ceremonies', async () => {
    const user = new FidoClient(server.url);
    expect((await user.register('alice')).status).toBe(200);
    const before = await server.residentMiB();
    let signingIn = await user.beginAuthentication('alice');
    const end = Date.now() + MS;
    let signIns = 0;
    const peak = { resident: before };
    const settings = { url: server.url, path: PATHS.certify.beginRegistration, connections: 16 };
    const flooding = flood({
      ...settings,
      headers: {
        'x-servicefido-relyingparty': 'localhost',
        'x-forwarded-for': '198.51.100.7',
      },
      body: heaviest,
      goOn: (n) => (IS_HARNESS ? Date.now() < end : n < SHORT_CALLS),
    });
    while (IS_HARNESS && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(20_000, MS / 5)));
      peak.resident = Math.max(peak.resident, await server.residentMiB());
      const answer = await user.completeAuthentication(user.assert(signingIn));
      expect(answer.status).toBe(200);
      signIns += 1;
      signingIn = await user.beginAuthentication('alice');
    }
    const statuses = await flooding;
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 429)).toEqual([]);
    const after = Math.max(peak.resident, await server.residentMiB());
    expect((await user.completeAuthentication(user.assert(signingIn))).status).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);
    report({
      begun: statuses.get(200) ?? 0,
      refused: statuses.get(429) ?? 0,
      signIns,
      beforeMiB: before,
      mostMiB: after,
    });
  });
});
