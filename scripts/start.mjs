#!/usr/bin/env node
/** `npm start [-- options]`: installs what is missing, builds what is stale, serves. */
import { ensureBuild } from './lib/build.mjs';
import { requireNode } from './lib/node-version.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { run } from './lib/project.mjs';

await run(async () => {
  requireNode();
  ensurePackages();
  ensureBuild();
  // In this process, so that signals and the exit code are the server's own.
  await import('../dist/main.js');
});
