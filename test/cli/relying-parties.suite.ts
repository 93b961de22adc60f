import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { runCommandHere } from '../support/command.js';
import { DATABASES } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

const UNKNOWN = 'unknown.example';
const ORIGIN = 'https://app.unknown.example';

/** Commands that open no database, or only its file, or whose work is done by the start of the services. */
const WITHOUT_CHECK = /^(?:authenticator|backup|password hash|secrets reseal|verify)$/;
/** Commands for a database that was restored: it need not have the relying party of the server's options. */
const RESTORING = /^(?:document|restored?)\b/;

describe.each(DATABASES)('the relying party of a command on %s', (on) => {
  let server: TestServer;
  let folder: string;
  beforeEach(async () => {
    server = await TestServer.start({ on });
    folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const data = () => join(folder, 'data');

  const fileFor = (name: string) => (name === 'audit key' ? 'none' : 'package.json');

  it('a command refuses an unknown --domain, names the known ones and creates nothing', async () => {
    for (const words of commandLines()) {
      const run = await command(...words, '--domain', UNKNOWN, '--origin', ORIGIN);
      expect([words, run]).toEqual([
        words,
        {
          code: 2,
          stdout: '',
          stderr:
            '--domain: There is no relying party unknown.example. The known ones are: localhost. ' +
            'Add it: ./servicefido relying-party add TENANT unknown.example\n',
        },
      ]);
    }
    expect(await domains()).toEqual(['localhost']);
    // The administrator's password is the server's to make, too: nobody would see it.
    expect(existsSync(data())).toBe(false);
  });

  it('a command with a known --domain adds no --origin to it', async () => {
    const { origins } = await server.get(TenancyService).relyingParty('default', 'localhost');
    const run = await command('tenant', 'list', '--domain', 'localhost', '--origin', ORIGIN);
    expect(run).toMatchObject({ code: 0, stdout: 'default\tlocalhost\n' });
    const after = await server.get(TenancyService).relyingParty('default', 'localhost');
    expect(after.origins).toEqual(origins);
  });

  it('relying-party add adds the relying party that --domain names, to the tenant that it names', async () => {
    expect((await command('tenant', 'add', 'acme')).code).toBe(0);
    const words = ['relying-party', 'add', 'acme', 'acme.example'];
    const run = await command(...words, '--domain', 'acme.example');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const added = await server.get(TenancyService).relyingParty('acme', 'acme.example');
    expect(added.origins).toEqual(['https://acme.example']);
  });

  const changed = async (members: object) => {
    const file = join(folder, 'members.json');
    writeFileSync(file, JSON.stringify(members));
    return command('relying-party', 'change', 'default', 'localhost', file);
  };
  const stored = () => server.get(TenancyService).relyingParty('default', 'localhost');

  it.each([
    [
      { registration: 'ticket' },
      '"registration" is no field of this call. Did you mean "policy.registration"?',
    ],
    [{ Policy: {} }, '"Policy" is no field of this call. Did you mean "policy"?'],
    [{ name: 'x', foo: 1 }, '"foo" is no field of this call.'],
  ])('relying-party change refuses the unknown member in %j', async (members, sentence) => {
    const before = await stored();
    expect(await changed(members)).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
    expect(await stored()).toEqual(before);
  });

  it('relying-party change says that an object without members changes nothing', async () => {
    const before = await stored();
    const { code, stdout } = await changed({});
    expect([code, stdout]).toEqual([
      0,
      'Nothing was changed: the JSON object names no member to change.\n',
    ]);
    expect(await stored()).toEqual(before);
  });

  it.each<[string, string[]]>([
    ['export', ['export', UNKNOWN]],
    ['import', ['import', UNKNOWN, 'package.json']],
    ['client list', ['client', 'list', UNKNOWN, '--oidc', 'on', '--issuer', 'https://f.example']],
  ])('%s names the known relying parties if there is none of its domain', async (_, words) => {
    const run = await command(...words);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(
      /^There is no relying party unknown\.example\. The known ones are: .*localhost.*\. Add it: /,
    );
  });

  it('users erase names the known relying parties unless it names one of them', async () => {
    const erase = (...flags: string[]) => command('users', 'erase', 'anna', ...flags);
    expect(await erase('--relying-party', UNKNOWN)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--relying-party: There is no relying party .*localhost/),
    });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    expect(await erase()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--relying-party: say at which relying party\. .*localhost/),
    });
  });

  function command(...words: string[]) {
    return runCommandHere([...words, '--db', server.database.url, '--data', data()]);
  }

  async function domains() {
    const cache = server.get(RelyingPartyCache);
    await cache.refresh();
    return cache.current.domains;
  }

  /** A valid command line for each command that opens the database. */
  function commandLines() {
    return Object.entries(COMMANDS)
      .filter(([name]) => !WITHOUT_CHECK.test(name) && !RESTORING.test(name))
      .map(([name, { words = [] }]) => [
        ...name.split(' '),
        ...words.map((word) => (word === 'file' ? fileFor(name) : 'x')),
        ...(name.startsWith('client ')
          ? ['--oidc', 'on', '--issuer', 'https://fido.example.com']
          : []),
      ]);
  }
});
