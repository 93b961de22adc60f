/**
 * `npm run long -- examples [NAME…]`: installs and starts each example of examples/ with its own server,
 * and signs in with Chromium and a virtual authenticator, or with the example app. Prints a line for each;
 * exit code 1 if one does not work.
 */
import { join } from 'node:path';
import { ensureBuild } from '../lib/build.mjs';
import { EXAMPLES, isRefused, signUpAndIn } from '../lib/examples.mjs';
import { must, mustIn } from '../lib/must.mjs';
import { OwnServer } from '../lib/own-server.mjs';
import { Program } from '../lib/program.mjs';
import { Refusal, inProject, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findChromium } from '../lib/services/chromium.mjs';
import { freePort } from '../lib/services/programs.mjs';

const PATIENCE_MS = 120_000;

await run(async () => {
  const named = process.argv.slice(2);
  const unknown = named.filter((name) => !(name in EXAMPLES));
  if (unknown.length > 0) throw new Refusal(`no such example: ${unknown.join(', ')}`);
  ensureBuild();
  const { missing, env } = findChromium();
  if (missing) throw new Refusal(`Chromium: ${missing}`);
  Object.assign(process.env, env);
  await import('../lib/register-typescript.mjs');
  const { openBrowser } = await import('../../test/browser/support/browser.ts');
  const browser = await openBrowser();
  try {
    for (const name of named.length > 0 ? named : Object.keys(EXAMPLES))
      await tryExample(name, browser);
  } finally {
    await browser.close();
  }
});

async function tryExample(name, browser) {
  const began = performance.now();
  try {
    await runExample(name, browser);
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`example ${name}: signed in, ${seconds} s`);
  } catch (error) {
    say(`example ${name}: FAILED: ${error.message}`);
    process.exitCode = 1;
  }
}

/** Installs, builds and starts one example with its own server, and uses it. */
async function runExample(name, browser) {
  const example = EXAMPLES[name];
  const cwd = inProject('examples', name);
  const server = new OwnServer();
  let program;
  try {
    await server.start(example.options);
    const fido = `http://localhost:${server.port}`;
    const port = await freePort();
    const env = { ...process.env, PORT: String(port), SERVICEFIDO_URL: fido };
    if (example.scopes) env.SERVICEFIDO_KEY = issueKey(name, example, server.folder);
    if (example.install !== false) mustIn({ cwd, env }, 'npm', 'ci');
    if (example.build) mustIn({ cwd, env }, ...example.build);
    const [file, ...args] = example.start;
    program = new Program(file, join(server.folder, 'example.log'));
    // Child processes of npm end with it.
    program.start(args, { cwd, env, detached: true });
    const url = `http://localhost:${port}`;
    const answers = () => fetch(url).then(() => true);
    await program.until(answers, name, PATIENCE_MS);
    if (example.app) useApp(example, { cwd, env: { ...env, BACKEND: url } });
    else await useBrowser(example, browser, url + (example.path?.(fido) ?? '/'));
  } finally {
    await program?.end();
    await server.remove();
  }
}

function issueKey(name, { scopes }, data) {
  const words = ['key', 'add', 'default', name, '--relying-parties', 'localhost'];
  const more = ['--scopes', scopes.join(), '--data', data];
  return must(process.execPath, 'dist/main.js', ...words, ...more);
}

function useApp({ app }, options) {
  const said = mustIn(options, ...app);
  if (!said.includes('Signed in as alice')) throw new Error(`The app says: ${said}`);
}

/**
 * Simulates the user of the page, controlled through its session storage: closes prompts and chooses from the
 * list of a field. A virtual authenticator would choose at once.
 */
function actAsUser() {
  const { credentials } = navigator;
  const create = credentials.create.bind(credentials);
  const get = credentials.get.bind(credentials);
  credentials.create = (options) =>
    sessionStorage.getItem('closes')
      ? Promise.reject(new DOMException('', 'NotAllowedError'))
      : create(options);
  credentials.get = (options) =>
    options.mediation !== 'conditional' || sessionStorage.getItem('chooses')
      ? get(options)
      : new Promise((_, fail) => {
          options.signal.addEventListener('abort', () => fail(options.signal.reason));
        });
}

/** Uses a new browser with a virtual authenticator; every error that the page reports is a failure. */
async function useBrowser(example, browser, url) {
  const { VirtualAuthenticator } = await import('../../test/browser/support/authenticator.ts');
  for (const step of [signUpAndIn, isRefused]) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const failed = [];
      page.on('pageerror', ({ message }) => failed.push(message));
      await page.addInitScript(actAsUser);
      await VirtualAuthenticator.add(page);
      await page.goto(url, { waitUntil: 'networkidle' });
      await step(page, example);
      if (failed.length > 0) throw new Error(failed.join('\n'));
    } finally {
      await context.close();
    }
  }
}
