/**
 * `npm run long -- examples [NAME…]`: installs and starts each example of examples/ with its own server,
 * and signs in with Chromium and a virtual authenticator, or with the example app. Prints a line for each;
 * exit code 1 if one does not work.
 */
import { ensureBuild } from '../lib/build.mjs';
import { EXAMPLES } from '../lib/examples/examples.mjs';
import { runExample } from '../lib/examples/run-example.mjs';
import { ensurePackages } from '../lib/packages.mjs';
import { Refusal, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findChromium } from '../lib/services/chromium.mjs';

await run(async () => {
  const named = process.argv.slice(2);
  const unknown = named.filter((name) => !(name in EXAMPLES));
  if (unknown.length > 0) throw new Refusal(`no such example: ${unknown.join(', ')}`);
  ensurePackages();
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
    await runExample(name, EXAMPLES[name], browser);
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`example ${name}: signed in, ${seconds} s`);
  } catch (error) {
    say(`example ${name}: FAILED: ${error.message}`);
    process.exitCode = 1;
  }
}
