#!/usr/bin/env node
/**
 * `npm run test:pages [-- FOLDER]` looks at every page in each of its states, in light, dark and forced
 * colours, at 390, 768 and 1280 px: no barrier that axe finds, nothing wider than its window, no table cut
 * off on a phone. With FOLDER it leaves a picture of each look there. It takes some minutes.
 */
import { resolve } from 'node:path';
import { runSuites } from './lib/jest.mjs';
import { ensureBuild } from './lib/build.mjs';
import { printFigures } from './lib/harness.mjs';
import { run } from './lib/project.mjs';

await run(async () => {
  ensureBuild();
  const [folder] = process.argv.slice(2);
  const began = performance.now();
  const { passed, failed, code } = await runSuites(['-w', '1', 'test/browser/every-page'], {
    TEST_EVERY_PAGE: 'yes',
    ...(folder && { TEST_PAGE_PICTURES: resolve(folder) }),
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = { looks: 9, 'tests passed': passed, failed, seconds };
  printFigures('every page', figures, code === 0);
});
