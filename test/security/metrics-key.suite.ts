import { Client } from '../support/client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const KEY = 'a key of the monitor';

describe('--metrics-key', () => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await TestServer.start({ options: { metricsKey: KEY } });
    client = new Client(server.url);
  });
  afterAll(() => server.stop());

  const metrics = (authorization?: string) =>
    client.get('/metrics', authorization === undefined ? {} : { authorization });

  it('/metrics accepts the metrics key, with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer']) {
      const { status, text } = await metrics(`${scheme} ${KEY}`);
      expect(status).toBe(200);
      expect(text).toContain('process_cpu_seconds_total');
    }
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${KEY.slice(0, -1)}`,
    `Bearer ${KEY}x`,
    `Basic ${btoa(`metrics:${KEY}`)}`,
    KEY,
  ])(
    '/metrics refuses the Authorization header %j, with a challenge (E0042R)',
    async (authorization) => {
      const answer = await metrics(authorization);
      expectRefusal(answer, 'E0042R', 401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="ServiceFido metrics"');
      expect(answer.text).not.toContain('process_cpu');
    },
  );

  it('the log does not contain the metrics key', async () => {
    await metrics(`Bearer ${KEY}`);
    expect(JSON.stringify(server.logged)).not.toContain(KEY);
  });

  it('health and status need no metrics key', async () => {
    for (const path of ['/health/live', '/health/ready', '/status', '/getversion']) {
      expect((await client.get(path)).status).toBe(200);
    }
  });
});
