import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/cli/commands.js';
import { loadOptions } from '../../src/platform/config/load-options.js';
import { projectPath } from '../../src/platform/project.js';
import { OPTIONS } from '../../src/platform/config/server-options.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { runCommandHere } from '../support/command.js';
import { DATABASES, REDIS_URL, createDatabase, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { holdingsOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { catalogueOf } from '../support/schema/catalogue.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess, freePort, runProgram, type Run } from '../support/server-process.js';
import { startOnce } from '../support/start-once.js';
import { TestServer } from '../support/test-server.js';

/** No file has this name. */
const ABSENT = join(tmpdir(), randomUUID());

/** The lines that a server prints on standard error if it cannot start. */
const complaints = ({ stderr }: Run) => stderr.trimEnd().split('\n');

/** A mistake is found before anything starts: most tests need no process, which takes longer than the rest of them. */
describe('the command line', () => {
  let directory: string;
  let data: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    data = join(directory, 'data');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it.each<[string, string[], string[]]>([
    [
      'a misspelt flag',
      ['--prot', '8080'],
      ['--prot: there is no such option (did you mean --port?)'],
    ],
    [
      'a port that is not a number',
      ['--port', 'http'],
      ['--port: must be a whole number from 0 to 65535'],
    ],
    ['a missing value', ['--host'], ['--host: needs a value']],
    [
      'an unknown command',
      ['serve'],
      ['serve: there is no such command (see --help; without a command, the server runs)'],
    ],
    ['a domain that is an address', ['--domain', '192.0.2.1'], ['--domain: must be a domain name']],
    [
      'a domain as a URL with user information',
      ['--domain', 'https://me@a.test'],
      ['--domain: must be a domain name such as login.example.com, or a URL with it'],
    ],
    ['an unknown database', ['--db', 'postgres://x/y'], ['--db: must begin with sqlite:']],
    ['a missing configuration file', ['--config', ABSENT], [`--config: ${ABSENT} cannot be read`]],
    [
      'an open administration on all addresses',
      ['--auth', 'off', '--host', '0.0.0.0'],
      ['--auth off needs a loopback --host'],
    ],
    [
      'several workers without a shared database and Redis',
      ['--workers', '2'],
      ['--workers above 1 needs --db mysql://…', '--workers above 1 needs --sessions redis://…'],
    ],
    ['a short key', ['--metrics-key', 'short'], ['--metrics-key needs at least 16 characters']],
    [
      'half of a certificate',
      ['--tls-cert', 'x.pem'],
      ['--tls-cert and --tls-key must be given together', '--tls-cert: x.pem cannot be read'],
    ],
    [
      'an account name with a colon',
      ['--admin-user', 'a:b'],
      ['--admin-user: must be a name without a'],
    ],
    ['a switch with another word', ['--aaguid', 'yes'], ['--aaguid: must be on or off']],
    ['an unknown host', ['--host', 'no-such-host.invalid'], ['--host: no-such-host.invalid is']],
    ['an address of another machine', ['--host', '192.0.2.1'], ['--host: 192.0.2.1 is not an']],
    ['a database without a name', ['--db', 'mysql://root@127.0.0.1'], ['--db: must name a']],
    [
      'files that are missing, and an origin with a path',
      [
        '--domain',
        'a.test',
        '--origin',
        'https://a.test/x',
        '--mds',
        '/nowhere',
        '--crls',
        '/nowhere',
      ],
      [
        '--crls: /nowhere cannot be read',
        '--mds: /nowhere cannot be read',
        '--origin: https://a.test/x is not an origin',
      ],
    ],
    [
      'five mistakes at once',
      ['--port', '-1', '--session', '0', '--verify=perhaps', '--colour', 'red'],
      ['--colour: ', '--port: ', '--session: ', '--verify: '],
    ],
  ])('reports %s with exit code 2, and starts nothing', async (_, args, expected) => {
    const run = await runCommandHere(['--data', data, ...args]);
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    const lines = complaints(run).sort();
    expect(lines).toHaveLength(expected.length);
    expected.forEach((begin, n) => expect(lines[n]).toContain(begin));
    expect(existsSync(data)).toBe(false);
  });

  it.each(['crls', 'android-revocations', 'mds-roots', 'aaguid-file', 'billing', 'accounts'])(
    'reports an invalid file of --%s with exit code 2, and writes nothing',
    async (flag) => {
      const file = join(directory, 'note.txt');
      writeFileSync(file, 'not what it should be: 1');
      const needed = { 'mds-roots': ['--mds', 'upload'], 'aaguid-file': ['--aaguid', 'on'] }[flag];
      const run = await runCommandHere([
        '--port',
        '0',
        '--data',
        data,
        `--${flag}`,
        file,
        ...(needed ?? []),
      ]);
      expect(run.code).toBe(2);
      expect(run.stdout).toBe('');
      const lines = complaints(run);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toContain(`--${flag}: ${file}`);
      expect(existsSync(data)).toBe(false);
    },
  );

  it('reports a wrong environment variable and a wrong key of the file together', async () => {
    const config = join(directory, 'config.yaml');
    writeFileSync(config, 'port: many\ncolor: red\n');
    const run = await runProgram(['--config', config, '--data', data], {
      SERVICEFIDO_SESSION: 'long',
      SERVICEFIDO_COLOUR: 'red',
    });
    expect(run.code).toBe(2);
    expect(complaints(run).sort()).toEqual([
      'SERVICEFIDO_COLOUR: there is no such option (see --help)',
      'SERVICEFIDO_SESSION: must be a whole number from 1 to 3600',
      `color in ${config}: there is no such option (see --help)`,
      `port in ${config}: must be a whole number from 0 to 65535`,
    ]);
    expect(existsSync(data)).toBe(false);
  });

  it.each<[string, string[], string]>([
    [
      'half of a command',
      ['tenant', 'create'],
      'tenant: the command must be one of tenant list, tenant add',
    ],
    ['a mistyped command', ['tenant', 'ad'], 'tenant ad: there is no such command (did you mean'],
    ['too few words', ['tenant', 'add'], 'Usage: ./servicefido tenant add <tenant>'],
    ['too many words', ['tenant', 'remove', 'a', 'b'], 'servicefido tenant remove <tenant>'],
    ['its words as one argument', ['tenant list'], 'tenant list: there is no such command'],
    ['a flag of another command', ['tenant', 'list', '--display-name', 'x'], '--display-name: '],
    ['a wrong option', ['tenant', 'list', '--db', 'nowhere'], '--db: '],
  ])('refuses a command with %s, with exit code 2 and no effect', async (_, args, expected) => {
    const run = await runCommandHere([...args, '--data', data]);
    expect(run.code).toBe(2);
    expect(complaints(run)).toEqual([expect.stringContaining(expected)]);
    expect(existsSync(data)).toBe(false);
  });

  it.each([
    [['--data', 'DATA', 'tenant', 'list']],
    [['tenant', '--data', 'DATA', 'list']],
    [['--verify', 'tenant', '--data=DATA', 'list']],
    [['--display-name', 'tenant list', 'tenant', 'add', 'beside', '--data', 'DATA']],
  ])('finds the command in %j, wherever its options are', async (args) => {
    const folder = join(directory, 'options-first');
    mkdirSync(folder, { recursive: true });
    await startOnce({ url: `sqlite:${join(folder, 'servicefido.sqlite')}` });
    const run = await runCommandHere(args.map((arg) => arg.replace('DATA', folder)));
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).not.toContain('no such command');
  });

  it('--help lists every option and command, --version the version', async () => {
    const help = await runProgram(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of Object.keys(OPTIONS)) {
      const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect(help.stdout).toContain(`--${flag} `);
    }
    expect(help.stdout).toMatch(
      /tenant add <tenant> .*\n +--display-name .*\n.*tenant remove <tenant>/,
    );
    const version = await runProgram(['--version']);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('accepts every line of the example file, which explains every option', () => {
    const path = projectPath('config/servicefido.example.yaml');
    const text = readFileSync(path, 'utf8');
    const keys = Object.keys((parse(text) ?? {}) as object);
    expect(loadOptions(['--config', path], {}).words).toEqual([]);
    for (const name of Object.keys(OPTIONS)) {
      const key = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect(keys.includes(key) || new RegExp(`^# ?${key}:`, 'm').test(text)).toBe(true);
    }
  });

  describe('a start that fails', () => {
    it('refuses to start with a file that is not a database, and leaves it unchanged', async () => {
      const file = join(directory, 'garbage.sqlite');
      const garbage = Buffer.alloc(8192, 'no database ');
      writeFileSync(file, garbage);
      const run = await runProgram(['--port', '0', '--data', data, '--db', `sqlite:${file}`]);
      expect(run.code).toBe(1);
      expect(complaints(run)).toEqual([`--db: ${file}: file is not a database`]);
      expect(readFileSync(file).equals(garbage)).toBe(true);

      const command = await runCommandHere([
        'tenant',
        'list',
        '--data',
        data,
        '--db',
        `sqlite:${file}`,
      ]);
      expect(command).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `--db: ${file}: file is not a database\n`,
      });
    });

    it('refuses to start with a truncated database file', async () => {
      const file = join(directory, 'cut.sqlite');
      await startOnce({ url: `sqlite:${file}` });
      truncateSync(file, 8192);
      const run = await runProgram(['--port', '0', '--data', data, '--db', `sqlite:${file}`]);
      expect(run.code).toBe(1);
      expect(complaints(run)).toEqual([`--db: ${file}: database disk image is malformed`]);
    });

    it('refuses to start with an altered signing key', async () => {
      const url = `sqlite:${join(directory, 'altered.sqlite')}`;
      await startOnce({ url });
      await runCommandHere(['keys', 'rotate', '--data', data, '--db', url]);
      const database = new BetterSqlite3(url.slice('sqlite:'.length));
      database.exec("UPDATE signing_keys SET private_key = 'none'");
      database.close();
      const run = await runProgram(['--port', '0', '--data', data, '--db', url]);
      expect(run.code).toBe(1);
      expect(complaints(run)).toEqual([expect.stringContaining('a signing key')]);
    });

    it('refuses to start with an unreachable database, and leaves nothing open', async () => {
      const away = ['--db', 'mysql://root@127.0.0.1:1/servicefido', '--db-wait', '3'];
      const sessions = REDIS_URL === undefined ? [] : ['--sessions', REDIS_URL];
      const run = await runProgram(['--port', '0', '--data', data, ...away, ...sessions]);
      expect(run.code).toBe(1);
      expect(run.stdout).toContain('does not answer yet (connect ECONNREFUSED 127.0.0.1:1)');
      expect(complaints(run)).toEqual([
        '--db: the database does not answer. connect ECONNREFUSED 127.0.0.1:1',
      ]);
    });
  });

  it('a start waits for an unreachable Redis, reports it, and fails without being ready', async () => {
    const away = ['--sessions', 'redis://127.0.0.1:1', '--db-wait', '2'];
    const run = await runProgram(['--port', '0', '--data', data, ...away]);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('Redis does not answer yet; waiting up to 2 s more');
    expect(run.stdout).not.toContain('is ready at');
    expect(run.stderr).toContain('--sessions: Redis does not answer.');
  });

  if (REDIS_URL !== undefined) {
    it.each<[string, (url: URL) => URL, RegExp]>([
      [
        'password',
        (url) => Object.assign(url, { username: 'nobody', password: 'wrong' }),
        /^--sessions: WRONGPASS /,
      ],
      ['database', (url) => Object.assign(url, { pathname: '/9999' }), /^--sessions: ERR DB index/],
    ])(
      'reports a %s that Redis refuses with exit code 2, and writes nothing',
      async (_, change, expected) => {
        const sessions = change(new URL(`${REDIS_URL}`)).href;
        const run = await runCommandHere(['--port', '0', '--data', data, '--sessions', sessions]);
        expect(run.code).toBe(2);
        expect(complaints(run)).toEqual([expect.stringMatching(expected)]);
        expect(existsSync(data)).toBe(false);
      },
    );

    it('a start waits for Redis and is ready only when it answers', async () => {
      const { hostname, port } = new URL(`${REDIS_URL}`);
      const late = await freePort();
      const server = new ServerProcess(['--sessions', `redis://127.0.0.1:${late}`]);
      const starting = server.start();
      await eventually(() => expect(server.stdout).toContain('Redis does not answer yet'));
      expect(server.stdout).not.toContain('is ready at');
      const links = createServer((socket) => {
        const redis = connect(Number(port), hostname);
        socket.on('error', () => redis.destroy()).pipe(redis);
        redis.on('error', () => socket.destroy()).pipe(socket);
      }).listen(late, '127.0.0.1');
      await starting;
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
      await server.remove();
      links.close();
    });
  }

  it('the server refuses a port in use in one line with exit code 2, and writes nothing', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => occupant.once('listening', resolve));
    const { port } = occupant.address() as AddressInfo;
    const sessions = REDIS_URL === undefined ? [] : ['--sessions', REDIS_URL];
    const run = await runProgram(['--port', `${port}`, '--data', data, ...sessions]);
    occupant.close();
    expect(run.code).toBe(2);
    expect(existsSync(data)).toBe(false);
    expect(complaints(run)).toEqual([
      expect.stringMatching(`^--port ${port} on 127.0.0.1 is in use already; try --port \\d+$`),
    ]);
  });

  /** The first start over the data, without a password of the administrator. */
  const firstStart = () =>
    startOnce(
      { url: `sqlite:${join(data, 'servicefido.sqlite')}` },
      { data, adminPassword: undefined },
    );

  it('makes the generated password and the database file readable only for their owner', async () => {
    await firstStart();
    const run = await runCommandHere(['tenant', 'list', '--data', data]);
    expect(run).toMatchObject({ code: 0, stdout: 'default\tlocalhost\n' });
    const file = join(data, 'admin-password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'servicefido.sqlite')).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{20}\n$/);
    expect(passwordFiles()).toEqual(['admin-password']);
  });

  it('generates another password if the first could not be written', async () => {
    const file = join(data, 'admin-password');
    mkdirSync(file, { recursive: true });
    const run = await runProgram(['--port', '0', '--data', data]);
    expect(run.code).toBe(1);
    expect(complaints(run)).toEqual([expect.stringContaining(file)]);
    rmdirSync(file);
    await firstStart();
    expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{20}\n$/);
    expect(passwordFiles()).toEqual(['admin-password']);
  });

  it('refuses a command whose SQLite file does not exist, and creates none', async () => {
    const run = await runCommandHere(['tenant', 'list', '--data', data]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(complaints(run)).toEqual([
      `There is no database at ${join(data, 'servicefido.sqlite')}: start the server first, which creates it.`,
    ]);
    expect(existsSync(data)).toBe(false);
  });

  const passwordFiles = () => readdirSync(data).filter((name) => name.startsWith('admin-password'));
});

describe.each(DATABASES)('commands on %s', (on) => {
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

  const command = (...words: string[]) => runCommandHere([...words, '--db', database.url]);
  const at = (relyingParty: string) => new FidoClient(server.url, { relyingParty });

  if (on === 'MariaDB') {
    it('the server refuses a user who may not create tables, in one line with exit code 2', async () => {
      const empty = await createDatabase(on);
      const source = await new DataSource(dataSourceOptions(empty.url)).initialize();
      const url = new URL(empty.url);
      const reader = `reader_${randomUUID().slice(0, 8)}`;
      await source.query(`CREATE USER ${reader} IDENTIFIED BY 'only reads'`);
      await source.query(`GRANT SELECT ON ${url.pathname.slice(1)}.* TO ${reader}`);
      Object.assign(url, { username: reader, password: 'only reads' });
      const run = await runProgram(['--port', '0', '--db', url.href]);
      await source.query(`DROP USER ${reader}`);
      await source.destroy();
      await empty.remove();
      expect(run.code).toBe(2);
      expect(complaints(run)).toEqual([expect.stringMatching(/^--db: CREATE command denied/)]);
    });

    it.each([
      ['password', (url: URL) => Object.assign(url, { password: 'wrong', username: 'nobody' })],
      ['database', (url: URL) => Object.assign(url, { pathname: '/servicefido_nowhere' })],
    ])('the server refuses an unknown %s in one line with exit code 2', async (_, change) => {
      const run = await runProgram(['--port', '0', '--db', change(new URL(database.url)).href]);
      expect(run.code).toBe(2);
      expect(complaints(run)).toEqual([expect.stringMatching(/^--db: (?:Access denied|Unknown)/)]);
    });
  }

  it('the commands add a tenant and a relying party to a running server', async () => {
    expect(await command('tenant', 'add', 'acme', '--display-name', 'Acme')).toMatchObject({
      code: 0,
      stdout: 'Tenant acme was added.\n',
      stderr: '',
    });
    const origins = ['https://acme.example', 'https://app.acme.example'];
    const words = ['relying-party', 'add', 'acme', 'acme.example'];
    const added = await command(...words, '--name', 'Acme', '--allow-origin', origins.join(','));
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const begun = await eventually(async () => {
      const answer = await at('acme.example').beginRegistration('alice');
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(begun.body['rp']).toEqual({ id: 'acme.example', name: 'Acme' });
    expect(relyingPartyOf(server, 'acme.example').origins).toEqual(origins);
    expect((await at('acme.example').register('alice')).status).toBe(200);
    const list = await command('tenant', 'list');
    expect(list.stdout).toBe('acme\tacme.example\ndefault\tlocalhost\n');
  });

  it('a command changes a relying party from a file, with an audit row', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    const file = join(directory, 'members.json');
    writeFileSync(file, JSON.stringify({ relatedOrigins: ['https://acme.test'] }));
    await server.addRelyingParty('changed', { domain: 'changed.example' });
    const words = ['relying-party', 'change', 'changed', 'changed.example'];
    expect(await command(...words, file)).toMatchObject({
      code: 0,
      stdout: 'Relying party changed.example was changed.\n',
      stderr: '',
    });
    const [row] = await rowsOf<{ detail: string }>(
      server,
      `SELECT detail FROM audit WHERE action = 'relying-party.change'`,
    );
    expect(JSON.parse(row?.detail ?? '')).toEqual({
      'relatedOrigins before': '[]',
      'relatedOrigins after': '["https://acme.test"]',
    });
    writeFileSync(file, '[]');
    expect(complaints(await command(...words, file))).toEqual([
      expect.stringContaining('must hold a JSON object'),
    ]);
    expect((await command(...words, join(directory, 'none.json'))).code).toBe(2);
    await server.get(TenancyService).removeTenant(server.call, 'changed');
    rmSync(directory, { recursive: true });
  });

  it.each([
    [
      'a tenant name that is taken',
      ['tenant', 'add', 'default'],
      1,
      'There is already a tenant "default".',
    ],
    ['an invalid tenant name', ['tenant', 'add', 'ACME'], 2, '<tenant> must be 1 to 64 characters'],
    ['an unknown tenant', ['tenant', 'remove', 'nobody'], 1, 'There is no such tenant.'],
    [
      'a domain that is taken',
      ['relying-party', 'add', 'default', 'localhost'],
      1,
      'The domain "localhost" already belongs to a relying party.',
    ],
    [
      'an invalid origin',
      ['relying-party', 'add', 'default', 'new.example', '--allow-origin', 'new.example'],
      2,
      '--allow-origin must be an array',
    ],
  ])('a command refuses %s in one line', async (_, words, code, sentence) => {
    const before = await server.snapshot();
    const run = await command(...words);
    expect(run.code).toBe(code);
    expect(complaints(run)).toEqual([expect.stringContaining(sentence)]);
    expect(await server.snapshot()).toBe(before);
  });

  it('the commands remove a relying party and a tenant with all their data', async () => {
    await server.addRelyingParty('doomed', { domain: 'doomed.example' });
    await server.addRelyingParty('doomed', { domain: 'other.doomed.example' });
    const rps = ['doomed.example', 'other.doomed.example'].map((domain) =>
      relyingPartyOf(server, domain),
    );
    for (const { domain } of rps) expect((await at(domain).register('eve')).status).toBe(200);
    const [first, second] = rps;
    if (!first || !second) throw new Error('unreachable');

    const one = await command('relying-party', 'remove', 'doomed', 'doomed.example');
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(await holdingsOf(server, first)).toEqual({ users: 0, credentials: 0 });
    expect(await holdingsOf(server, second)).toEqual({ users: 1, credentials: 1 });
    expect((await command('tenant', 'remove', 'doomed')).code).toBe(0);
    expect(await holdingsOf(server, second)).toEqual({ users: 0, credentials: 0 });
    await eventually(async () => {
      const { body } = await at('other.doomed.example').beginRegistration('eve');
      expect(body.errorCode).toBe('E0025R');
    });
  });

  it('servicefido keys rotate makes a new signing key, even if it is given a session store', async () => {
    const sessions = REDIS_URL === undefined ? [] : ['--sessions', REDIS_URL];
    const run = await command('keys', 'rotate', ...sessions);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    await eventually(async () => {
      const { keys } = (await at('localhost').get('/.well-known/jwks.json')).body;
      expect(keys).toHaveLength(2);
    });
  });

  it('servicefido keys revoke revokes a signing key and reports an unknown one', async () => {
    const published = async () => {
      const { body } = await at('localhost').get('/.well-known/jwks.json');
      return (body['keys'] as { kid: string }[]).map(({ kid }) => kid);
    };
    const [kid = ''] = await published();
    const run = await command('keys', 'revoke', kid);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(`The signing key ${kid} was revoked`);
    await eventually(async () => expect(await published()).not.toContain(kid));
    expect(await published()).not.toEqual([]);
    const again = await command('keys', 'revoke', kid);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('There is no signing key with this kid.');
  });
});

/** Commands that need no tables: they read only files, or copy the database as it is. */
const WITHOUT_TABLES = ['authenticator', 'backup', 'password hash', 'restore', 'verify'];

describe.each(DATABASES)('commands on %s before the server has started', (on) => {
  let directory: string;
  let database: TestDatabase;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    writeFileSync(join(directory, 'file'), '{}');
    writeFileSync(join(directory, 'secret.keys'), `${Buffer.alloc(32, 1).toString('base64')}\n`, {
      mode: 0o600,
    });
    database = await createDatabase(on);
    // As an interrupted copy leaves it.
    if (on === 'SQLite') writeFileSync(database.url.slice('sqlite:'.length), '');
  });
  afterEach(async () => {
    await database.remove();
    rmSync(directory, { recursive: true });
  });

  /** A valid command line for each command that reads or changes tables. */
  const commandLines = () =>
    Object.entries(COMMANDS)
      .filter(([name]) => !WITHOUT_TABLES.includes(name))
      .map(([name, { words = [] }]) => [
        ...name.split(' '),
        ...words.map((word) => (word === 'file' ? fileFor(name) : 'x')),
        ...(name === 'secrets reseal' ? ['--secret-key-file', join(directory, 'secret.keys')] : []),
        ...(name.startsWith('client ')
          ? ['--oidc', 'on', '--issuer', 'https://fido.example.com']
          : []),
      ]);
  const fileFor = (name: string) => (name === 'audit key' ? 'none' : join(directory, 'file'));

  async function read<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
    const source = await new DataSource(dataSourceOptions(database.url)).initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  }

  async function expectRefusals(sentence: RegExp) {
    for (const words of commandLines()) {
      const data = join(directory, 'data');
      const run = await runCommandHere([...words, '--db', database.url, '--data', data]);
      expect([words, run]).toEqual([
        words,
        { code: 1, stdout: '', stderr: expect.stringMatching(sentence) },
      ]);
      expect(existsSync(data)).toBe(false);
    }
  }

  it('each command refuses an empty database and creates no table', async () => {
    await expectRefusals(/^--db: .*The database is empty: start the server first/);
    expect(await read(catalogueOf)).toEqual([]);
  });

  it('each command refuses a database of an older version and changes no table', async () => {
    await startOnce(database);
    await read(async (source) => {
      await source.query("DELETE FROM migrations WHERE name NOT LIKE 'Baseline%'");
    });
    const before = await read(catalogueOf);
    await expectRefusals(
      /^--db: .*The database is of an older version: start the server of this version/,
    );
    expect(await read(catalogueOf)).toEqual(before);
  });
});
