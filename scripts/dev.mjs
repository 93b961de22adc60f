#!/usr/bin/env node
/**
 * `npm run dev [-- options]`: serves, and rebuilds and restarts after each change of a source file;
 * also rebuilds the browser SDK.
 */
import { spawn } from 'node:child_process';
import { ensurePackages } from './lib/packages.mjs';
import { inProject, ROOT } from './lib/project.mjs';
import { run } from './lib/run.mjs';

/** Nest starts the server through a shell, which must become the server, because signals end there. */
const EXEC = process.platform === 'win32' ? [] : ['--exec', 'exec node'];
const NEST = [
  inProject('node_modules/@nestjs/cli/bin/nest.js'),
  'start',
  '--watch',
  '--preserveWatchOutput',
  ...EXEC,
];
const SDK = [inProject('packages/browser/build.mjs'), '--watch'];

/** Nest misses a signal between the end of one server and the start of the next. */
const AGAIN_MS = 1000;

await run(async () => {
  ensurePackages();
  const watchers = [watch(SDK), watch([...NEST, '--', ...process.argv.slice(2)])];
  const kill = () => watchers.forEach((watcher) => watcher.kill());
  let again;
  const stop = () => {
    kill();
    again ??= setInterval(kill, AGAIN_MS).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGHUP', stop);
  // A terminal sends it to all of them.
  process.on('SIGINT', () => {});
  // Each watcher is useless without the other.
  watchers.forEach((watcher) => watcher.once('exit', stop));
});

/** Starts a program in the project's root. */
function watch(command) {
  const env = { ...process.env, NODE_ENV: 'development' };
  return spawn(process.execPath, command, { cwd: ROOT, stdio: 'inherit', env });
}
