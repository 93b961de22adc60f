import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { CALLBACK, addClient, startIssuer, type IssuedClient } from '../support/oidc-issuer.js';
import { freePort } from '../support/server-process.js';
import type { TestServer } from '../support/test-server.js';

const DOCS = readFileSync(projectPath('docs/openid-connect.md'), 'utf8');

describe('the recipes of docs/openid-connect.md', () => {
  let server: TestServer;
  let user: FidoClient;
  let folder: string;
  let running: ChildProcess | undefined;
  beforeAll(async () => {
    server = await startIssuer();
    user = new FidoClient(server.url);
    await user.register('anna');
    folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
  });
  afterEach(() => running?.kill());
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (program: string, { clientId, secret }: IssuedClient) => {
    const file = join(folder, 'recipe.mjs');
    writeFileSync(file, program);
    const random = 'x'.repeat(32);
    const own = {
      CLIENT_ID: clientId,
      CLIENT_SECRET: secret,
      COOKIE_SECRET: random,
      AUTH_SECRET: random,
    };
    const env = { ...process.env, ...own };
    running = spawn(process.execPath, [file], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    return running;
  };
  const insecure = { execute: 'execute: [client.allowInsecureRequests]' };

  it.each([
    ['express-openid-connect', '/', { algorithm: 'RS256' }],
    ['passport', '/login', { algorithm: 'ES256' }],
  ])('sign users in with %s', async (heading, path, { algorithm }) => {
    const port = await freePort();
    const app = `http://localhost:${port}`;
    const made = await addClient(server, {
      redirectUris: [`${app}/callback`],
      postLogoutRedirectUris: [app],
      algorithm,
    });
    const https = "  id_token_signed_response_alg: 'ES256',\n}";
    const program = recipe(heading, {
      'https://fido.example.com/oidc/example.com': made.issuer,
      'http://localhost:3000': app,
      'listen(3000)': `listen(${port})`,
      ...(heading === 'passport' && { [https]: `${https}, undefined, { ${insecure.execute} }` }),
    });
    start(program, made);
    const browser = new OidcBrowser(app);
    const asked = await eventually(() => browser.open(path));
    expect(asked.url).toContain(`${made.issuer}/auth?`);
    const back = await new OidcBrowser(server.url, user).authorize(asked.url, 'anna');
    expect((await browser.open(String(back))).page.text).toBe('Hello anna');
  });

  it('sign users in with Auth.js', async () => {
    const port = await freePort();
    const app = `http://localhost:${port}`;
    const redirectUris = [`${app}/auth/callback/passkey`];
    const made = await addClient(server, { redirectUris });
    const program = recipe('Auth.js', {
      'https://fido.example.com/oidc/example.com': made.issuer,
      'listen(3000)': `listen(${port})`,
    });
    start(program, made);
    const browser = new OidcBrowser(app);
    const { page } = await eventually(() => browser.open('/'));
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page.text) ?? [];
    const body = new URLSearchParams({ csrfToken, callbackUrl: app });
    const asked = await browser.open('/auth/signin/passkey', { method: 'POST', body });
    expect(asked.url).toContain(`${made.issuer}/auth?`);
    const back = await new OidcBrowser(server.url, user).authorize(asked.url, 'anna');
    expect((await browser.open(String(back))).page.text).toBe('Hello anna');
  });

  it('sign users in with openid-client', async () => {
    const made = await addClient(server);
    const https = "  id_token_signed_response_alg: 'ES256',\n}";
    const program = recipe('openid-client', {
      ISSUER: `'${made.issuer}'`,
      CLIENT_ID: 'process.env.CLIENT_ID',
      CLIENT_SECRET: 'process.env.CLIENT_SECRET',
      REDIRECT_URI: `'${CALLBACK}'`,
      [https]: `${https}, undefined, { ${insecure.execute} }`,
      '// The browser': `console.log(address.href);
        const [answer] = await once(process.stdin, 'data');
        const currentUrl = new URL(String(answer).trim());
        process.stdin.unref();
        // The browser`,
      'console.log(tokens.claims())': 'console.log(JSON.stringify(tokens.claims()))',
    });
    const child = start(`import { once } from 'node:events';\n${program}`, made);
    if (!child.stdout) throw new Error('The recipe has no output.');
    const lines = createInterface({ input: child.stdout });
    const [address] = (await once(lines, 'line')) as [string];
    const back = await new OidcBrowser(server.url, user).authorize(address, 'anna');
    child.stdin?.write(`${back}\n`);
    const [claims] = (await once(lines, 'line')) as [string];
    expect(JSON.parse(claims)).toMatchObject({ iss: made.issuer, preferred_username: 'anna' });
  });
});

/** The program under a heading of the page, for an issuer of this machine. */
function recipe(heading: string, changes: Readonly<Record<string, string>>): string {
  const [, section = ''] = DOCS.split(`### ${heading}\n`);
  let [, program = ''] = /```js\n([^]*?)```/.exec(section) ?? [];
  for (const [text, other] of Object.entries(changes)) {
    expect(program).toContain(text);
    program = program.replaceAll(text, other);
  }
  return program;
}
