/**
 * `npm run long -- examples [NAME…]`: installs and starts each example of examples/ with its own server,
 * and signs in with Chromium and a virtual authenticator, or with the example app. Prints a line for each;
 * exit code 1 if one does not work, or has more than 140 lines of code.
 */
import { ensureBuild } from '../lib/build.mjs';
import { linesOfCode } from '../lib/examples/lines-of-code.mjs';
import { EXAMPLES } from '../lib/examples/examples.mjs';
import { runExample } from '../lib/examples/run-example.mjs';
import { ensurePackages } from '../lib/packages.mjs';
import { Refusal, inProject, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findChromium } from '../lib/services/chromium.mjs';

const MOST_LINES = 140;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
];

await run(async () => {
  const named = process.argv.slice(2);
  const unknown = named.filter((name) => !(name in EXAMPLES));
  if (unknown.length > 0) throw new Refusal(`no such example: ${unknown.join(', ')}`);
  ensurePackages();
  ensureBuild();
  const { missing, env } = findChromium();
  if (missing) throw new Refusal(`Chromium: ${missing}`);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: env.CHROMIUM, args: FLAGS });
  try {
    for (const name of named.length > 0 ? named : Object.keys(EXAMPLES)) await tell(name, browser);
  } finally {
    await browser.close();
  }
});

async function tell(name, browser) {
  const began = performance.now();
  const lines = linesOfCode(inProject('examples', name));
  try {
    if (lines > MOST_LINES) throw new Error(`more than ${MOST_LINES} lines`);
    await runExample(name, EXAMPLES[name], browser);
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`example ${name}: signed in, ${lines} lines of code, ${seconds} s`);
  } catch (error) {
    say(`example ${name}: FAILED, ${lines} lines of code: ${error.message}`);
    process.exitCode = 1;
  }
}
