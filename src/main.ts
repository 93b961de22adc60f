#!/usr/bin/env node
/**
 * Starts the server or a command on a suitable Node.js. It has no static import: an older Node.js must be able to read
 * it, and would end without a word when it loads the binary of SQLite.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 14)) await import('./server.js');
else await startAgain();

/** In the project's folder, goes on under the Node.js that the scripts fetch; elsewhere, says which one is needed. */
async function startAgain(): Promise<void> {
  type Scripts = { run(main: () => Promise<unknown>): Promise<void> };
  const path = new URL('../scripts/lib/run.mjs', import.meta.url).href;
  const scripts = (await import(path).catch(() => undefined)) as Scripts | undefined;
  if (scripts) return scripts.run(() => import('./server.js'));
  console.error(
    `servicefido: this is Node.js ${process.versions.node}, and 22.14 or later is needed. Install Node.js 24 from https://nodejs.org and try again.`,
  );
  process.exitCode = 2;
}

export {};
