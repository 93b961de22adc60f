/**
 * `npm run long -- pages [FOLDER]` checks every page in each of its states, in light, dark and forced
 * colours, at 390, 768 and 1280 px: no accessibility violation found by axe, no content wider than its
 * window, no table truncated on a phone. Saves a screenshot of each in FOLDER, if given. Takes some
 * minutes.
 */
import { resolve } from 'node:path';
import { printFigures } from '../lib/harness.mjs';
import { runJest } from '../lib/jest.mjs';
import { run } from '../lib/run.mjs';

await run(async () => {
  const [folder] = process.argv.slice(2);
  const began = performance.now();
  process.env.TEST_EVERY_PAGE = 'yes';
  if (folder) process.env.TEST_PAGE_PICTURES = resolve(folder);
  await runJest(['--maxWorkers=1', 'test/browser/every-page']);
  const seconds = Math.round((performance.now() - began) / 1000);
  printFigures('every page', { looks: 9, seconds }, process.exitCode === 0);
});
