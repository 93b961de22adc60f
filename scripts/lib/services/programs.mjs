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

/** A TCP port on the loopback that is currently free. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
