import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnTls } from '../../../test/support/own-tls.js';
import { loadOptions } from './load-options.js';
import { OptionMistakes } from './option-types.js';
import { checkFile } from './start-checks.js';

/** No file has this name. */
const ABSENT = join(tmpdir(), randomUUID());

const load = (args: string, env: NodeJS.ProcessEnv = {}) =>
  loadOptions(args.split(' ').filter(Boolean), env).options;

function mistakesOf(args: string, env: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    load(args, env);
  } catch (error) {
    if (error instanceof OptionMistakes) return error.mistakes;
    throw error;
  }
  return [];
}

function configFile(content: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'servicefido-')), 'config.yaml');
  writeFileSync(path, content);
  return path;
}

describe('loadOptions', () => {
  it('gives the options their documented defaults', () => {
    expect(load('')).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      session: 60,
      auth: true,
      verify: false,
      jwt: true,
      jwtTtl: 300,
      registration: 'open',
      db: 'sqlite:data/servicefido.sqlite',
      sessions: 'memory:',
      trustProxy: 0,
      workers: 1,
    });
  });

  it('prefers flags to the environment, the environment to the file, the file to defaults', () => {
    const file = configFile('port: 1\nsession: 2\nadmin-user: "3"\n');
    const options = load(`--config ${file} --port 11`, {
      SERVICEFIDO_PORT: '12',
      SERVICEFIDO_SESSION: '13',
    });
    expect(options).toMatchObject({ port: 11, session: 13, adminUser: '3', jwtTtl: 300 });
  });

  it('reads a bare switch as on, and accepts every spelling of on and off', () => {
    expect(load('--verify').verify).toBe(true);
    expect(load('--verify --port 1')).toMatchObject({ verify: true, port: 1 });
    for (const word of ['on', 'true', '1']) expect(load(`--verify ${word}`).verify).toBe(true);
    for (const word of ['off', 'false', '0']) expect(load(`--verify=${word}`).verify).toBe(false);
    expect(load('', { SERVICEFIDO_VERIFY: '1' }).verify).toBe(true);
    expect(load(`--config ${configFile('verify: true')}`).verify).toBe(true);
  });

  it('accepts a repeated --origin and a list of origins in the file', () => {
    expect(load('--domain a.test --origin https://b.test --origin https://c.test').origin).toEqual([
      'https://b.test',
      'https://c.test',
    ]);
    const file = configFile('domain: a.test\norigin: [https://b.test, https://c.test]');
    expect(load(`--config ${file}`).origin).toEqual(['https://b.test', 'https://c.test']);
  });

  it('accepts several --mds files, or off', () => {
    expect(load('').mds).toEqual([]);
    expect(load('--mds off').mds).toEqual([]);
    const own = configFile('');
    expect(load(`--mds https://mds3.fidoalliance.org/ --mds ${own}`).mds).toEqual([
      'https://mds3.fidoalliance.org/',
      own,
    ]);
  });

  it.each([
    ['--crls yes', '--crls: must be fetch, a file or a directory, or off, not yes'],
    ['--crls on --crls fetch', '--crls: must be fetch, a file or a directory, or off, not on'],
    ['--crls fetch,off', '--crls: must be fetch, a file or a directory, or off, not off'],
    ['--crls ,', '--crls: must not be empty'],
    ['--mds TRUE', '--mds: must be a file, a web address or upload, or off, not TRUE'],
    ['--mds no', '--mds: must be a file, a web address or upload, or off, not no'],
    [
      '--android-revocations 1',
      '--android-revocations: must be a file or a web address, or off, not 1',
    ],
  ])('refuses the word in %s, and names what the option takes', (args, mistake) => {
    expect(mistakesOf(args)).toEqual([mistake]);
  });

  it('ignores the environment variables of an application beside the server', () => {
    const env = { SERVICEFIDO_URL: 'http://localhost:8080', SERVICEFIDO_KEY: 'sfk_x' };
    expect(mistakesOf('', env)).toEqual([]);
  });

  it('reports all mistakes in options at once, each with its name', () => {
    const mistakes = mistakesOf('--port x --session 0 --nonsense --domain 127.0.0.1', {
      SERVICEFIDO_JWT: 'maybe',
      SERVICEFIDO_TYPO: '1',
    });
    expect(mistakes).toEqual([
      '--nonsense: there is no such option (see --help)',
      'SERVICEFIDO_TYPO: there is no such option (see --help)',
      '--port: must be a whole number from 0 to 65535',
      '--domain: must be a domain name such as login.example.com, or a URL with it, not an IP address',
      '--session: must be a whole number from 1 to 3600',
      'SERVICEFIDO_JWT: must be on or off',
    ]);
  });

  it.each([
    ['--orgin x', '--orgin', '--origin'],
    ['--tlscert x', '--tlscert', '--tls-cert'],
    ['--verifi', '--verifi', '--verify'],
    ['--confgi x', '--confgi', '--config'],
    ['--workerss 2', '--workerss', '--workers'],
  ])('suggests the correct option for %s', (line, misspelt, meant) => {
    const mistake = `${misspelt}: there is no such option (did you mean ${meant}?)`;
    expect(mistakesOf(line)).toEqual([mistake]);
  });

  it('suggests the correct name for a misspelt environment variable', () => {
    expect(mistakesOf('', { SERVICEFIDO_ORGIN: 'x' })).toEqual([
      'SERVICEFIDO_ORGIN: there is no such option (did you mean SERVICEFIDO_ORIGIN?)',
    ]);
  });

  it.each([
    ['--port', '--port: needs a value'],
    ['--host --port 80', '--host: needs a value'],
    ['b c', 'b c: there is no such command (see --help; without a command, the server runs)'],
    ['--verify maybe', '--verify: must be on or off'],
    ['--domain a.test --origin https://b.test/a', '--origin: https://b.test/a is not an origin'],
    ['--domain a.test --origin nonsense', '--origin: nonsense is not an origin'],
    ['--db sqlite:', '--db: must name a file'],
    ['--db mysql://root@db:3306', '--db: must name a database'],
    ['--db mysql://root@db:3306/', '--db: must name a database'],
    ['--db mysql://root@db:x/a', '--db: is not a URL'],
    ['--db mysql://root@db/a?ssl', '--db: may end in ?ssl=on or ?ssl=FILE'],
    ['--db mysql://root@db/a?ssl={}&ssl=on', '--db: may end in ?ssl=on or ?ssl=FILE'],
    ['--db mariadb://root@db/a?charset=latin1', '--db: may end in ?ssl=on or ?ssl=FILE'],
    ['--db mysql://root@db/a?ssl=/nowhere', '--db: /nowhere cannot be read'],
    ['--sessions redis://', '--sessions: is not a URL'],
    ['--issuer https://', '--issuer: is not a URL'],
    ['--mds /nowhere.jwt', '--mds: /nowhere.jwt cannot be read'],
    ['--mds https://:', '--mds: is not a web address'],
    ['--mds https://me:50%off@host/', '--mds: needs %25 for a % in its password'],
    ['--crls fetch,/nowhere', '--crls: /nowhere cannot be read'],
    ['--android-revocations /nowhere', '--android-revocations: /nowhere cannot be read'],
    ['--mds upload --mds-roots /nowhere', '--mds-roots: /nowhere cannot be read'],
    ['--db sqlite:/tmp/a.sqlite --data /dev/null', '--data: /dev/null is not a directory'],
    ['--db sqlite:/tmp', '--db: /tmp is not a file'],
    ['--port 1 --port 2', '--port: was given more than once'],
    ['-x', '-x: there is no such option'],
    ['--auth off --host 0.0.0.0', '--auth off needs a loopback --host'],
    ['--workers 2', '--workers above 1 needs --sessions redis://…'],
    ['--tls-cert a.pem', '--tls-cert and --tls-key must be given together'],
    ['--db postgres://x', '--db: must begin with sqlite: or mysql:// or mariadb://'],
    ['--registration first-only --jwt off', '--registration first-only needs --jwt on'],
    ['--aaguid-file list.yaml', '--aaguid-file needs --aaguid on'],
    ['--mds-roots roots.pem', '--mds-roots needs --mds'],
    [`--config ${ABSENT}`, `--config: ${ABSENT} cannot be read`],
  ])('refuses the command line %s', (args, mistake) => {
    expect(mistakesOf(args)[0]).toContain(mistake);
  });

  it('refuses the files that features cannot read', () => {
    const argv = ['--aaguid', 'on', '--aaguid-file', ABSENT];
    const files = {
      readers: [
        () => {
          throw new OptionMistakes(['the prices are wrong']);
        },
      ],
      checks: { aaguidFile: (path: string) => checkFile(path, () => []) },
    };
    expect(() => loadOptions(argv, {}, undefined, files)).toThrow(
      new OptionMistakes([`--aaguid-file: ${ABSENT} cannot be read`, 'the prices are wrong']),
    );
  });

  it('refuses TLS files that are missing or not PEM', () => {
    const file = configFile('x');
    const none = '/nowhere';
    expect(mistakesOf(`--tls-cert ${none} --tls-key ${none}`)).toEqual([
      `--tls-cert: ${none} cannot be read`,
      `--tls-key: ${none} cannot be read`,
    ]);
    expect(mistakesOf(`--tls-cert ${file} --tls-key ${file}`)).toEqual([
      `--tls-cert: ${file} is not a certificate in PEM`,
      `--tls-key: ${file} is not a private key in PEM`,
    ]);
  });

  it('refuses a TLS key that does not match the certificate', () => {
    const mine = new OwnTls();
    const other = new OwnTls();
    const { tlsCert } = mine.options;
    const { tlsKey } = other.options;
    expect(mistakesOf(`--tls-cert ${tlsCert} --tls-key ${tlsKey}`)).toEqual([
      `--tls-key: ${tlsKey} is not the key of the certificate in ${tlsCert}`,
    ]);
    expect(mistakesOf(`--tls-cert ${tlsCert} --tls-key ${mine.options.tlsKey}`)).toEqual([]);
    for (const pair of [mine, other]) pair.remove();
  });

  it.each([
    ['{"entries": {"xyz": {"status": "REVOKED"}}}', '"xyz" is no serial number with a status.'],
    ['{}', 'The list is no object with "entries".'],
    ['hello', `Unexpected token 'h', "hello" is not valid JSON`],
    [' '.repeat(9 * 1024 * 1024), 'The list is larger than 8 MiB.'],
  ])('refuses an invalid list of revoked Android keys: %.50j', (content, fault) => {
    const file = configFile(content);
    expect(mistakesOf(`--android-revocations ${file}`)).toEqual([
      `--android-revocations: ${file}: ${fault}`,
    ]);
  });

  it('accepts the same origins as the API', () => {
    const origins = ['https://*.b.test', 'http://localhost:*', 'android:apk-key-hash:aA0_-'];
    expect(load(`--domain a.test --origin ${origins.join(',')}`).origin).toEqual(origins);
  });

  it.each(['-fSpkyZIHUQ', '-', '-b c', '-f=x', '-a-b', '-a--b'])(
    'accepts %j as an argument of a command, because an ID may begin with a dash',
    (word) => {
      const form = { flags: ['relying-party'], switches: [], words: 1, usage: '' };
      const line = loadOptions([word, '--relying-party', 'a.test'], {}, form);
      expect(line.words).toEqual([word]);
      expect(line.own.get('relying-party')).toBe('a.test');
    },
  );

  it('accepts any word behind two dashes as an argument of a command', () => {
    const form = { flags: [], switches: [], words: 1, usage: '' };
    for (const word of ['-a-b', '--a', 'a']) {
      expect(loadOptions(['--', word], {}, form).words).toEqual([word]);
    }
  });

  it('accepts a value of a command that begins with a dash', () => {
    const form = { flags: ['name'], switches: [], words: 0, usage: '' };
    expect(loadOptions(['--name', '-a-b'], {}, form).own.get('name')).toBe('-a-b');
  });

  it.each(['0123', '1e3', 'true', ' a ', '0x1F', '1.50'])(
    'reads the password %j in the file as it is written',
    (password) => {
      const file = configFile(JSON.stringify({ 'admin-password': password }));
      expect(load(`--config ${file}`).adminPassword).toBe(password);
      const unquoted = configFile(`admin-password: ${password}`);
      expect(load(`--config ${unquoted}`).adminPassword).toBe(password.trim());
    },
  );

  it('takes a directory of metadata statements only with --conformance on', () => {
    const directory = mkdtempSync(join(tmpdir(), 'servicefido-'));
    expect(mistakesOf(`--conformance --mds ${directory}`)).toEqual([
      `--mds: ${directory} contains no metadata statements (*.json)`,
    ]);
    writeFileSync(join(directory, 'key.json'), '{"aaguid":"900d0000-0000-4000-8000-000000000001"}');
    expect(load(`--conformance --mds ${directory}`).mds).toEqual([directory]);
    expect(mistakesOf(`--mds ${directory}`)).toEqual([
      '--mds takes a directory of metadata statements, which nobody signed, only with --conformance on',
    ]);
    writeFileSync(join(directory, 'other.json'), '{"aaguid":"good key"}');
    expect(mistakesOf(`--conformance --mds ${directory}`)).toEqual([
      `--mds: ${join(directory, 'other.json')} is not a metadata statement: payload: aaguid is not an AAGUID: "good key"`,
    ]);
  });

  it('does not read the files of the server for a command', () => {
    const form = { flags: [], switches: [], words: 0, usage: '' };
    const line = loadOptions(['--mds', '/nowhere.jwt'], {}, form);
    expect(line.options.mds).toEqual(['/nowhere.jwt']);
  });

  it.each(['0', '-1', 'abc', '1e9', '3601', '1.5', ''])('refuses --session=%s', (value) => {
    expect(mistakesOf(`--session=${value}`)).toHaveLength(1);
  });

  it('refuses an unknown key and a nested value in the configuration file', () => {
    const mistakes = mistakesOf(`--config ${configFile('prot: 1\nport: {a: 1}')}`);
    expect(mistakes[0]).toMatch(/^prot in .*: there is no such option \(did you mean port\?\)$/);
    expect(mistakes[1]).toMatch(/^port in .*: must be a plain value$/);
  });
});

it('the scheme of an address may be in capitals (RFC 3986 §3.1)', () => {
  expect(load('--db MySQL://root@db:3306/Fido').db).toBe('mysql://root@db:3306/Fido');
  expect(load('--issuer HTTPS://fido.example.com').issuer).toBe('https://fido.example.com');
});

describe('the options for secrets in files', () => {
  const secret = (content: string | Buffer) => configFile(content);

  it.each([
    ['admin-password', 'adminPassword', 'correct horse: battery'],
    ['db', 'db', 'mysql://fido:secret@db:3306/fido'],
    ['sessions', 'sessions', 'redis://:secret@redis:6379'],
    ['metrics-key', 'metricsKey', 'the monitor: nobody else'],
  ] as const)(
    'reads the secret from --%s-file, given as a flag, variable or in the configuration file',
    (flag, name, value) => {
      const file = secret(`${value}\n`);
      const variable = `SERVICEFIDO_${flag.replace('-', '_').toUpperCase()}_FILE`;
      expect(load(`--${flag}-file ${file}`)[name]).toBe(value);
      expect(load('', { [variable]: file })[name]).toBe(value);
      expect(load(`--config ${configFile(`${flag}-file: ${file}`)}`)[name]).toBe(value);
    },
  );

  it('prefers a flag to a secret file that the environment names', () => {
    const env = { SERVICEFIDO_DB_FILE: secret('mysql://fido:secret@db:3306/fido') };
    expect(load('--db sqlite:other.sqlite', env).db).toBe('sqlite:other.sqlite');
  });

  it('reports the mistakes of a secret file, never its content', () => {
    const file = secret('hunter2');
    expect(mistakesOf(`--db-file ${file} --sessions-file ${ABSENT}`)).toEqual([
      `--sessions-file: ${ABSENT} cannot be read`,
      `--db-file ${file}: must begin with sqlite: or mysql:// or mariadb://`,
    ]);
    expect(mistakesOf(`--admin-password-file ${secret('')}`)[0]).toMatch(/must not be empty$/);
  });

  it('refuses a secret file that is not UTF-8', () => {
    const file = secret(Buffer.from([0x70, 0xe4, 0x73, 0x73]));
    expect(mistakesOf(`--admin-password-file ${file}`)).toEqual([
      `--admin-password-file: ${file} must be UTF-8`,
    ]);
  });

  it('refuses a secret that is given twice', () => {
    const file = secret('hunter2');
    expect(mistakesOf(`--admin-password hunter2 --admin-password-file ${file}`)).toEqual([
      '--admin-password-file: --admin-password is given too; one of them is enough',
    ]);
  });
});
