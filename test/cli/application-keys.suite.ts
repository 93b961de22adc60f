import { isSecret } from '../../src/platform/access/accounts/key-secret.js';
import { keyClient } from '../support/application-keys.js';
import { adminClient } from '../support/client.js';
import { commandsOn } from '../support/command.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('servicefido key on %s', (on) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createServerDatabase(on);
    server = await TestServer.start({ database });
  });
  afterAll(async () => {
    await server.stop();
    await database.remove();
  });

  const command = (...words: string[]) => commandsOn(database)('key', ...words);

  let secret: string;
  let id: string;
  const users = () => keyClient(server.url, secret).get('/users');

  it('servicefido key add issues a key for a running server and prints nothing else', async () => {
    const flags = ['--scopes', 'users:read,tickets', '--relying-parties', 'localhost'];
    const added = await command('add', 'default', 'web shop', ...flags, '--expires', '2100-01-31');
    expect(added.code).toBe(0);
    secret = added.stdout.trim();
    expect(isSecret(secret)).toBe(true);
    expect((await users()).status).toBe(200);
  });

  it('servicefido key list prints a line for each application key', async () => {
    const { code, stdout } = await command('list');
    expect(code).toBe(0);
    const [first = '', ...facts] = stdout.trimEnd().split('\t');
    id = first;
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
    expect(await command('revoke', id)).toMatchObject({ code: 0, stderr: '' });
    expect((await users()).status).toBe(401);
  });

  it('servicefido key revoke reports an unknown application key', async () => {
    const again = await command('revoke', id);
    expect(again).toMatchObject({ code: 1, stderr: 'There is no such application key.\n' });
  });

  it('servicefido key leaves audit rows of the account "cli"', async () => {
    const { body } = await adminClient(server.url).get('/userapi/audit?account=cli');
    const detail = { scopes: 'users:read tickets' };
    expect(body['entries']).toMatchObject([
      { action: 'application-key.revoke', result: 'refused', code: 'E0044R' },
      { action: 'application-key.revoke', tenant: 'default', target: 'web shop', detail },
      { action: 'application-key.issue', tenant: 'default', target: 'web shop', detail },
    ]);
  });

  it.each([
    ['no permissions', ['add', 'default', 'x'], 2, '"scopes" must be an array'],
    [
      'an unknown permission',
      ['add', 'default', 'x', '--scopes', 'all'],
      2,
      '"scopes" must be an array',
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
