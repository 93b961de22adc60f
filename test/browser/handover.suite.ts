import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { projectPath } from '../../src/platform/project.js';
import { firstCall, programsFor } from '../../src/pages/tenancy/handover/snippets.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { freePort } from '../support/server-process.js';
import { AdminBrowser } from './support/admin-pages.js';
import { VirtualAuthenticator } from './support/authenticator.js';

const PATH = '/tenants/default/localhost/handover';
const run = promisify(execFile);
const TARGET = { origin: 'https://fido.example.com', domain: 'example.com' };

/** Programs that run a snippet, by its ID. */
const RUNNERS = {
  sh: ['sh', '-c'],
  js: [process.execPath, '--input-type=module', '-e'],
  python: ['python3', '-c'],
} as const;
const PROGRAMS = ['js', 'python'] as const;

describe('the page that hands a domain over to a developer', () => {
  let admin: AdminBrowser;
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    admin = await AdminBrowser.start();
    ({ page, complaints } = await admin.open(PATH));
    await issueKey(page);
  });
  afterAll(() => admin.close());

  const textOf = (id: string) => page.locator(`#copied-${id}`).textContent();

  it('shows the address, the domain and the SDK', async () => {
    expect(await textOf('origin')).toBe(admin.server.url);
    expect(await textOf('domain')).toBe('localhost');
    const sdk = await page.request.get((await textOf('script')) ?? '');
    expect(await sdk.text()).toContain('createClient');
  });

  it('issues an application key only for this domain, and shows it once', async () => {
    expect(await textOf('secret')).toMatch(/^sfk_/);
    const { body } = await adminClient(admin.server.url).get('/tenantapi/keys?tenant=default');
    expect(body['keys']).toMatchObject([
      { name: 'localhost', scopes: ['ceremonies'], relyingParties: ['localhost'] },
    ]);
    const other = await adminClient(admin.server.url).get(PATH, { accept: 'text/html' });
    expect(other.text).not.toContain('sfk_');
  });

  it('copies the text beside the button', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The button says so for two seconds.
    await Promise.all([
      page.getByRole('button', { name: /^Copied Key/ }).waitFor(),
      page.getByRole('button', { name: /^Copy Key/ }).click(),
    ]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await textOf('secret'));
  });

  /** Runs a snippet of the page until it ends. */
  const runSnippet = async (id: keyof typeof RUNNERS, key: string) => {
    const [program, ...options] = RUNNERS[id];
    const env = { ...process.env, SERVICEFIDO_KEY: key };
    return run(program, [...options, (await textOf(id)) ?? ''], { cwd: projectPath('.'), env });
  };

  it.each(['sh', ...PROGRAMS] as const)(
    'shows a program in %s that stops with a clear message without a key',
    async (id) => {
      const stopped: unknown = await runSnippet(id, '').catch((error: unknown) => error);
      expect(stopped).toMatchObject({ stdout: '' });
      expect(stopped).toMatchObject({
        stderr: expect.stringMatching(/SERVICEFIDO_KEY:? is not set. Set it to the key/) as string,
      });
    },
  );

  it('shows a first call in curl that works unchanged', async () => {
    const { stdout } = await runSnippet('sh', (await textOf('secret')) ?? '');
    expect(JSON.parse(stdout)).toMatchObject({ rp: { id: 'localhost' }, user: { name: 'alice' } });
  });

  it.each([firstCall(TARGET), ...programsFor(TARGET)])(
    'shows the code for $label as the documentation does',
    ({ id, code }) => {
      const text = readFileSync(projectPath('docs/integration.md'), 'utf8');
      expect(text).toContain(`\`\`\`${id}\n${code}\`\`\``);
    },
  );

  it.each(programsFor(TARGET))(
    'says in $label at which origin keys of a domain work',
    ({ code }) => {
      expect(code).toContain('Open the origin of example.com that leads to http://localhost:');
    },
  );

  it.each(PROGRAMS)('shows a program in %s with which a user signs in', async (id) => {
    const [program, ...options] = RUNNERS[id];
    const port = await freePort();
    const key = (await textOf('secret')) ?? '';
    const child = spawn(program, [...options, (await textOf(id)) ?? ''], {
      cwd: projectPath('.'),
      env: { ...process.env, SERVICEFIDO_KEY: key, PORT: String(port) },
    });
    const visitor = await admin.browser.newPage();
    try {
      await once(child.stdout, 'data');
      await VirtualAuthenticator.add(visitor);
      await visitor.goto(`http://localhost:${port}`);
      const output = visitor.locator('output');
      await visitor.getByRole('button', { name: 'Register' }).click();
      await output.getByText('1. Register a key: done for alice').waitFor();
      await visitor.getByRole('button', { name: 'Sign in' }).click();
      await output.getByText('2. Sign in: done for alice').waitFor();
      // Her authenticator has a key already and makes no second one.
      const reported = visitor.waitForResponse(/\/register\/given-up$/);
      await visitor.getByRole('button', { name: 'Register' }).click();
      expect((await reported).status()).toBe(200);
    } finally {
      await visitor.close();
      child.kill();
    }
  });

  it('leaves an audit row for the issued key', async () => {
    const { body } = await adminClient(admin.server.url).get(
      '/userapi/audit?action=application-key.issue',
    );
    expect(body['entries']).toMatchObject([
      { target: 'localhost', tenant: 'default', relyingParty: 'localhost', result: 'ok' },
    ]);
  });

  it('the page of a handover does not exist for a domain that the tenant does not have (E0044R)', async () => {
    const none = await adminClient(admin.server.url).get('/tenants/default/none.example/handover');
    expect(none.status).toBe(404);
  });

  it('causes no complaint of the browser', () => {
    expect(complaints).toEqual([]);
  });
});

describe('the first sign-in at a domain that was handed over', () => {
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start();
  });
  afterAll(() => admin.close());

  it('appears on the page of the hand-over without a reload, beside the key shown once', async () => {
    const { page } = await admin.open(PATH);
    await issueKey(page);
    const first = page.locator('#first-sign-in');
    expect(await first.textContent()).toContain('Waiting');
    const client = await FidoClient.registered(admin.server.url, 'alice');
    expect(await client.signIn('alice')).toMatchObject({ status: 200 });
    await first.getByText('First sign-in received').waitFor();
    expect(await page.locator('#copied-secret').textContent()).toMatch(/^sfk_/);
  });
});

async function issueKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Issue a key for this domain' }).click();
  await page.getByText('The key was issued').waitFor();
}
