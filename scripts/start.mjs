#!/usr/bin/env node
/** `npm start [-- options]`: installs what is missing, builds what is stale, serves. */
import { ensureBuild } from './lib/build.mjs';
import { requireNode } from './lib/node-version.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { run } from './lib/project.mjs';

const LOOK_MS = 500;

await run(async () => {
  requireNode();
  ensurePackages();
  ensureBuild();
  if (process.env.npm_lifecycle_event === 'start') endWithShell();
  // In this process, so that signals and the exit code are the server's own.
  await import('../dist/main.js');
});

/** npm starts this by a shell. Told to end, npm tells the shell, and most shells end without telling the server. */
function endWithShell() {
  const shell = process.ppid;
  setInterval(() => {
    const told = process.listenerCount('SIGTERM') === 0 || process.listenerCount('SIGINT') === 0;
    if (process.ppid !== shell && !told) process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS).unref();
}
