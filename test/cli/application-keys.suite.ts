import { isSecret } from '../../src/platform/access/accounts/key-secret.js';
import { keyClient } from '../support/application-keys.js';
import { adminClient } from '../support/client.js';
import { commandsOn } from '../support/command.js';
import { DATABASES } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('servicefido key on %s', (on) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start({ on });
  });
  afterEach(() => server.stop());

  const command = (...words: string[]) => commandsOn(server.database)('key', ...words);

  const users = (secret: string) => keyClient(server.url, secret).get('/users');
  /** Adds an application key, and returns its secret. */
  const add = async () => {
    const flags = ['--scopes', 'users:read,tickets', '--relying-parties', 'localhost'];
    const added = await command('add', 'default', 'web shop', ...flags, '--expires', '2100-01-31');
    expect(added.code).toBe(0);
    return added.stdout.trim();
  };
  const idInList = async () => (await command('list')).stdout.split('\t')[0] ?? '';

  it('servicefido key add issues a key for a running server and prints nothing else', async () => {
    const secret = await add();
    expect(isSecret(secret)).toBe(true);
    expect((await users(secret)).status).toBe(200);
  });

  it('servicefido key list prints a line for each application key', async () => {
    const secret = await add();
    const { code, stdout } = await command('list');
    expect(code).toBe(0);
    const [, ...facts] = stdout.trimEnd().split('\t');
    const lastUse = facts.pop();
    expect(facts).toEqual([
      'default',
      'web shop',
      secret.slice(0, 12),
      'users:read tickets',
      'localhost',
      '2100-01-31T00:00:00.000Z',
    ]);
    expect(lastUse).toMatch(/^\d{4}-|^never used$/);
  });

  it('servicefido key revoke ends an application key of a running server at once', async () => {
    const secret = await add();
    expect(await command('revoke', await idInList())).toMatchObject({ code: 0, stderr: '' });
    expect((await users(secret)).status).toBe(401);
  });

  it('servicefido key revoke reports an unknown application key', async () => {
    await add();
    const id = await idInList();
    await command('revoke', id);
    const again = await command('revoke', id);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no such application key\./),
    });
  });

  it('servicefido key leaves audit rows of the account "cli"', async () => {
    await add();
    const id = await idInList();
    for (let n = 0; n < 2; n += 1) await command('revoke', id);
    const { body } = await adminClient(server.url).get('/userapi/audit?account=cli');
    const detail = { scopes: 'users:read tickets' };
    expect(body['entries']).toMatchObject([
      { action: 'application-key.revoke', result: 'refused', code: 'E0044R' },
      { action: 'application-key.revoke', tenant: 'default', target: 'web shop', detail },
      { action: 'application-key.issue', tenant: 'default', target: 'web shop', detail },
    ]);
  });

  it.each([
    ['no permissions', ['add', 'default', 'x'], 2, '--scopes must be an array'],
    [
      'an unknown permission',
      ['add', 'default', 'x', '--scopes', 'all'],
      2,
      '--scopes must be an array',
    ],
    ['an unknown tenant', ['add', 'nobody', 'x', '--scopes', 'tickets'], 1, 'no such tenant'],
    [
      'an unknown relying party',
      ['add', 'default', 'x', '--scopes', 'tickets', '--relying-parties', 'nobody.example'],
      1,
      'no relying party "nobody.example"',
    ],
  ])('servicefido key add refuses %s in one line', async (_, words, code, sentence) => {
    const run = await command(...words);
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) });
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
