import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Authenticator } from '../../packages/testing/src/authenticator.js';
import type { CreationOptions, RequestOptions } from '../../packages/testing/src/ceremony-json.js';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { freePort, runProgram, ServerProcess } from '../support/server-process.js';

const PACKAGES = 'config/frameworks';

install();
describeWith('the frameworks in config/frameworks')('the snippets of docs/frameworks.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-frameworks-'));
  let server: ServerProcess;
  let key: string;
  let app: ChildProcess | undefined;

  beforeAll(async () => {
    const files = { ...Object.fromEntries(SNIPPETS), ...SVELTEKIT, 'package.json': MODULE };
    for (const [name, source] of Object.entries(files)) write(name, source);
    write('src/lib/server/passkeys.js', SNIPPETS.get('passkeys.js') ?? '');
    link();
    server = new ServerProcess();
    await server.start();
    const words = ['key', 'add', 'default', 'shop', '--relying-parties', 'localhost'];
    const added = await runProgram([...words, '--scopes', 'ceremonies', '--data', server.data]);
    key = added.stdout.trim();
  });
  afterEach(async () => {
    if (!app) return;
    const ended = app.exitCode ?? once(app, 'exit');
    app.kill('SIGKILL');
    app = undefined;
    await ended;
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(frameworks()))(
    'a user of %s signs up, adds a key and signs in with it',
    async (username, args) => {
      const origin = await start(args);
      const authenticator = new Authenticator();
      const browser = new Browser(origin);
      expect((await browser.post('/fidoapi/register/begin', {})).status).toBe(401);
      expect((await browser.post('/signup', { username })).status).toBe(204);
      const creation = await browser.post('/fidoapi/register/begin', { username: 'mallory' });
      expect(creation).toMatchObject({ status: 200, body: { user: { name: username } } });
      const created = authenticator.create(creation.body as CreationOptions, { origin });
      expect((await browser.post('/fidoapi/register/complete', created)).status).toBe(200);

      const other = new Browser(origin);
      const begin = () => other.post('/fidoapi/authenticate/begin', { username });
      const spoilt = authenticator.get((await begin()).body as RequestOptions, {
        origin,
        wrongKey: true,
      });
      expect(await other.post('/fidoapi/authenticate/complete', spoilt)).toMatchObject({
        status: 401,
        body: { errorCode: 'E0032R' },
      });
      const signed = authenticator.get((await begin()).body as RequestOptions, { origin });
      expect(await other.post('/fidoapi/authenticate/complete', signed)).toMatchObject({
        status: 200,
        body: { username },
      });
      // The session that began may add a key.
      expect((await other.post('/fidoapi/register/begin', {})).status).toBe(200);
    },
  );

  function write(name: string, source: string): void {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source);
  }

  /** The installed packages, and the built one of this project. */
  function link(): void {
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@servicefido'), { recursive: true });
    for (const name of readdirSync(projectPath(`${PACKAGES}/node_modules`))) {
      symlinkSync(projectPath(`${PACKAGES}/node_modules/${name}`), join(modules, name), 'dir');
    }
    symlinkSync(projectPath('packages/node'), join(modules, '@servicefido/node'), 'dir');
  }

  async function start(args: (port: string) => readonly string[]): Promise<string> {
    const port = String(await freePort());
    app = spawn(process.execPath, args(port), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        PORT: port,
        SERVICEFIDO_URL: server.url,
        SERVICEFIDO_KEY: key,
        SESSION_SECRET: 'a secret of at least 32 characters',
      },
    });
    const url = `http://localhost:${port}`;
    await eventually(() => fetch(url));
    return url;
  }
});

const MODULE = '{ "type": "module" }';

/** A page of the application, with its cookies. */
class Browser {
  private cookie = '';

  constructor(private readonly origin: string) {}

  async post(path: string, body: object): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(this.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.origin, cookie: this.cookie },
      body: JSON.stringify(body),
    });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  }
}

/** Installs the frameworks on first use. Without a registry the tests are skipped; CI fails. */
function install(): void {
  if (existsSync(projectPath(`${PACKAGES}/node_modules/vite`))) return;
  const args = ['ci', '--no-fund', '--no-audit', '--ignore-scripts', '--loglevel=error'];
  try {
    const shell = process.platform === 'win32';
    execFileSync('npm', args, { cwd: projectPath(PACKAGES), stdio: 'inherit', shell });
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    console.error(`The packages in ${PACKAGES} cannot be installed: ${String(error)}`);
  }
}

const PAGE = readFileSync(projectPath('docs/frameworks.md'), 'utf8');

/** The files of the page: each begins with a comment that names it. */
const SNIPPETS = new Map(
  [...PAGE.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```/gms)].map(([, name = '', source = '']) => [
    name,
    source,
  ]),
);

/** What `npx sv create` writes. */
const SVELTEKIT = {
  'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };`,
  'src/app.html': '<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
  'src/routes/+page.svelte': '<p>A page</p>',
};

/** How an application of each framework is started. */
function frameworks(): Readonly<Record<string, (port: string) => readonly string[]>> {
  return {
    Fastify: () => ['fastify.js'],
    Hono: () => ['hono.js'],
    SvelteKit: (port) => ['node_modules/vite/bin/vite.js', 'dev', '--port', port, '--strictPort'],
  };
}
