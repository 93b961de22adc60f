import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import { flagName } from '../../src/platform/config/server-options.js';
import { PRODUCT_VERSION } from '../../src/platform/project.js';
import { commandsOn, runCommandHere } from '../support/command.js';
import { TestServer } from '../support/test-server.js';

describe('the help of the command line', () => {
  it.each([['--help'], ['-h'], ['help']])('%s lists options and commands', async (word) => {
    const { code, stdout } = await runCommandHere([word]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\.\/servicefido \[options\]/);
    expect(stdout).toContain('--trust-proxy');
    expect(stdout).toContain('key add <tenant> <name>');
  });

  it.each([['--version'], ['-v'], ['version']])('%s prints the version', async (word) => {
    expect(await runCommandHere([word])).toEqual({
      code: 0,
      stdout: `${PRODUCT_VERSION}\n`,
      stderr: '',
    });
  });

  it.each([
    [
      ['key', 'add', '--help'],
      /^\.\/servicefido key add <tenant> <name>\n {2}issues an .*\n(?: {4}--.*\n){3}$/,
    ],
    [
      ['help', 'key', 'add'],
      /^\.\/servicefido key add <tenant> <name>\n {2}issues an .*\n(?: {4}--.*\n){3}$/,
    ],
    [
      ['--help', 'webhook'],
      /^\.\/servicefido webhook add <tenant> <url>\n.*\n(?:.*\n)*.* webhook remove <id>\n.*\n$/,
    ],
  ])('%j describes only these commands', async (words, text) => {
    const { code, stdout } = await runCommandHere(words);
    expect(code).toBe(0);
    expect(stdout).toMatch(text);
    expect(stdout).not.toContain('--trust-proxy');
  });

  const flagged = Object.entries(COMMANDS)
    .map(
      ([name, { flags, lists, switches }]) => [name, { ...flags, ...lists, ...switches }] as const,
    )
    .filter(([, texts]) => Object.keys(texts).length > 0);

  it.each(flagged)('help %s has a text for each of its flags', async (name, texts) => {
    const { stdout } = await runCommandHere(['help', ...name.split(' ')]);
    for (const [flag, text] of Object.entries(texts)) {
      expect([flag, text]).toEqual([flag, expect.stringMatching(/^\S.{5}/)]);
      expect(stdout).toContain(`    --${flagName(flag).padEnd(18)} ${text}`);
    }
  });

  it('a command may have an argument that is called help or -h', async () => {
    const { stderr } = await runCommandHere(['key', 'revoke', '-h', '--db', 'sqlite:/dev/null/x']);
    expect(stderr).toMatch(/^There is no database at /);
  });

  it.each([
    ['keys list', 'keys list: there is no such command (did you mean key list?)'],
    ['tenants list', 'tenants list: there is no such command (did you mean tenant list?)'],
    ['user erase anna', 'user erase: there is no such command (did you mean users erase <name>?)'],
    ['serve', 'serve: there is no such command (see --help; without a command, the server runs)'],
  ])('%s names the command that was probably meant', async (words, sentence) => {
    const run = await runCommandHere(words.split(' '));
    expect(run).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });
});

describe('the sentences of refused commands', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    server = await TestServer.start();
    folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const command = (...words: string[]) => commandsOn(server.database)(...words);
  const OIDC = ['--oidc', 'on', '--issuer', 'https://fido.example.com'];

  it.each([
    [['key', 'add', 'default', 'x', '--scopes', 'all'], '--scopes must be an array of one or more'],
    [
      ['key', 'add', 'default', 'x', '--scopes', 'tickets', '--expires', 'soon'],
      '--expires must be',
    ],
    [['relying-party', 'add', 'default', 'a b'], '<domain> must be a domain name'],
    [
      ['relying-party', 'add', 'default', 'a.example', '--origin', 'a.example'],
      '--allow-origin must be an array of up to',
    ],
    [['webhook', 'add', 'default', 'ftp://a.example', '--events', 'registration'], '<url> must be'],
    [['tenant', 'add', 'Acme Inc.'], '<tenant> must be 1 to 64 characters'],
    [['client', 'add', 'localhost', 'x', '--kind', 'native', ...OIDC], '--kind must be one of'],
    [
      ['client', 'add', 'localhost', 'x', '--groups', 'perhaps', ...OIDC],
      '--groups: must be yes or no',
    ],
  ])('%j names the argument as it was written', async (words, sentence) => {
    const run = await command(...words);
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) });
  });

  it.each([
    [['tenant', 'remove', 'nobody'], 'There is no such tenant.', 'tenant list'],
    [['key', 'revoke', 'x'], 'There is no such application key.', 'key list'],
    [['webhook', 'off', 'x'], 'There is no such webhook.', 'webhook list'],
    [['client', 'remove', 'localhost', 'x', ...OIDC], 'There is no such client.', 'client list'],
  ])('%j names the command that lists what there is', async (words, sentence, list) => {
    const run = await command(...words);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toBe(
      `${sentence} See: ./servicefido ${list}${list === 'client list' ? ' DOMAIN' : ''}\n`,
    );
  });

  it.each([
    [['key', 'list'], 'There are no application keys yet.'],
    [['webhook', 'list'], 'There are no webhooks yet.'],
    [['client', 'list', 'localhost', ...OIDC], 'There are no clients yet.'],
  ])('%j says on standard error that the list is empty', async (words, sentence) => {
    expect(await command(...words)).toEqual({ code: 0, stdout: '', stderr: `${sentence}\n` });
  });

  it('relying-party add prints the domain that it has taken from a URL', async () => {
    const run = await command('relying-party', 'add', 'default', 'https://Shop.Example/path');
    expect(run.stdout).toBe('Relying party shop.example was added to tenant default.\n');
  });

  it('backup names the folder that does not exist, and not its draft', async () => {
    const file = join(folder, 'none', 'copy.sqlite');
    const run = await command('backup', file);
    expect(run).toEqual({
      code: 2,
      stdout: '',
      stderr: `${file}: there is no folder ${join(folder, 'none')}\n`,
    });
  });
});
