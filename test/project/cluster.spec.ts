import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadOptions } from '../../src/platform/config/load-options.js';
import { projectPath } from '../../src/platform/project.js';

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly command?: unknown;
        readonly secrets?: readonly string[];
      }
    >
  >;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const compose = parse(readFileSync(projectPath('docker/compose.cluster.yaml'), 'utf8'), {
  merge: true,
}) as Compose;
const services = Object.entries(compose.services);

describe('the example of a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  const secrets = join(folder, 'secrets');
  const makeSecrets = () =>
    execFileSync('sh', [projectPath('docker/cluster/make-secrets.sh'), secrets], { stdio: 'pipe' });
  beforeAll(() => void makeSecrets());
  afterAll(() => rmSync(folder, { recursive: true }));

  const secret = (name: string) => readFileSync(join(secrets, name), 'utf8').trim();
  const passwords = () => [
    secret('database-password'),
    secret('admin-password'),
    new URL(secret('sessions-url')).password,
  ];

  it('the example of a cluster names a file for each password and contains none', () => {
    const named = services.flatMap(([, { environment = {} }]) => Object.keys(environment));
    const open = named.filter((name) => /(?:PASSWORD|_URL|_DB|_SESSIONS)$/.test(name));
    expect(new Set(open)).toEqual(new Set(['MARIADB_RANDOM_ROOT_PASSWORD']));
    expect(readFileSync(projectPath('docker/compose.cluster.yaml'), 'utf8')).not.toMatch(
      /\$\{\w*(?:PASSWORD|SECRET)/,
    );
  });

  it('make-secrets.sh creates each secret of a service once, readable for its owner only', () => {
    const asked = services.flatMap(([, { secrets: names = [] }]) => names);
    const made = readdirSync(secrets);
    expect(new Set(asked)).toEqual(new Set(Object.keys(compose.secrets)));
    expect(new Set(made)).toEqual(new Set(asked));
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./cluster/secrets/${name}`);
    }
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
    expect(new Set(passwords()).size).toBe(3);
    for (const password of passwords()) expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(makeSecrets).toThrow();
  });

  it('the servers of the cluster get addresses with the created passwords', () => {
    const { environment = {} } = compose.services['server1'] ?? {};
    const env = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace('/run/secrets', secrets).replace(/\$\{.*\}/, 'localhost'),
      ]),
    );
    const { options } = loadOptions([], env);
    const [database, admin, sessions] = passwords();
    expect(options).toMatchObject({
      adminPassword: admin,
      db: `mysql://servicefido:${database}@proxy:3306/servicefido`,
      sessions: `redis://:${sessions}@proxy:6379`,
      trustProxy: 1,
    });
  });

  it('the proxy of the cluster removes client headers that the servers trust', () => {
    const text = readFileSync(projectPath('docker/cluster/haproxy.cfg'), 'utf8');
    const [, web = ''] = /^listen web\n([^]*?)^listen /m.exec(text) ?? [];
    const rules = [...web.matchAll(/^ *(http-request .*)$/gm)].map(([, rule]) => rule);
    expect(rules).toEqual([
      'http-request del-header X-Forwarded- -m beg',
      'http-request del-header Forwarded',
      'http-request set-header X-Forwarded-For %[src]',
      'http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]',
    ]);
    expect(web).not.toContain('option forwardfor');
  });
});
