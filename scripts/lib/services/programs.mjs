import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** Servers are often installed in folders outside a user's PATH. */
const ALSO = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** The full path of the first of these programs that is installed, or undefined. */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...ALSO];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(executable);
}

/** Whether a file exists and may be executed. */
export function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Below the ports that systems give out by themselves: from 32768 on Linux, from 49152 elsewhere. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/**
 * A TCP port on the loopback that is currently free. Nobody gets it by chance: it is still free when it is used later,
 * or again after a restart.
 */
export function freePort() {
  return new Promise((resolve, reject) => {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer().once('error', (error) =>
      error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
