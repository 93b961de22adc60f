import cluster from 'node:cluster';
import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the server's process by `startServer`. The server ends when the process that started it ends or closes
 * its standard input, and then removes its data folder, which the address of this module names.
 */
const data = decodeURIComponent(new URL(import.meta.url).search.slice(1));

// Threads and workers of the server load this module too.
if (isMainThread && cluster.isPrimary) {
  process.stdin.once('end', () => process.exit()).resume();
  // A start that fails ends by itself.
  process.stdin.unref();
  process.once('exit', () => rmSync(data, { recursive: true, force: true }));
}
