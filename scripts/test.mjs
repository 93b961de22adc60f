#!/usr/bin/env node
/** `npm test [-- Jest's arguments]`: installs missing packages and runs Jest. jest.config.js says what it needs. */
import { runJest } from './lib/jest.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  ensurePackages();
  await runJest(process.argv.slice(2));
});
