import { adminClient } from '../support/client.js';
import { commandsOn } from '../support/command.js';
import { TestServer } from '../support/test-server.js';

describe('servicefido webhook', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  const command = (...words: string[]) => commandsOn(server.database)('webhook', ...words);

  it('the webhook commands add, list, switch off and remove a webhook, and print its secret once', async () => {
    const url = 'https://app.example.com/hook';
    const wrong = await command('add', 'default', url, '--events', 'coffee');
    expect([wrong.code, wrong.stderr.includes('--events must be an array')]).toEqual([2, true]);
    const added = await command('add', 'default', url, '--events', 'registration,policy');
    expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^whsec_\S{44}\n$/)]);
    const id = (await command('list')).stdout.split('\t')[0] ?? '';
    expect(await command('off', id)).toMatchObject({ code: 0, stderr: '' });
    expect((await command('list')).stdout).toBe(
      [id, 'default', url, 'registration policy', '*', 'off', 'servicefido'].join('\t') + '\n',
    );
    expect(await command('remove', id)).toMatchObject({ code: 0, stderr: '' });
    const { body } = await adminClient(server.url).get('/userapi/audit?account=cli');
    expect(body['entries']).toMatchObject([
      { action: 'webhook.remove', tenant: 'default' },
      { action: 'webhook.change', tenant: 'default' },
      { action: 'webhook.create', tenant: 'default', detail: { host: 'app.example.com' } },
    ]);
  });
  it('webhook add takes the format of the messages', async () => {
    const add = (format: string) =>
      command('add', 'default', 'https://siem.test/', '--events', 'audit.*', '--format', format);
    expect(await add('cef')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--format'),
    });
    expect((await add('ocsf')).code).toBe(0);
    expect((await command('list')).stdout).toMatch(/\tocsf\n$/);
    const { body } = await adminClient(server.url).get('/tenantapi/webhooks');
    expect(body['webhooks']).toMatchObject([{ url: 'https://siem.test/', format: 'ocsf' }]);
  });
});
