#!/usr/bin/env node
/** `npm start [-- options]`: installs missing packages, builds what is outdated, and serves. */
import { ensureBuild } from './lib/build.mjs';
import { endWithShell } from './lib/end-with-shell.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  ensureBuild();
  endWithShell(stopServer);
  // In this process, so that signals and the exit code are the server's own.
  await import('../dist/main.js');
});

/**
 * Only once: a second signal would end the server immediately. The server listens for signals until it
 * receives one.
 */
function stopServer() {
  const listens = process.listenerCount('SIGTERM') > 0 && process.listenerCount('SIGINT') > 0;
  if (listens) process.kill(process.pid, 'SIGTERM');
}
