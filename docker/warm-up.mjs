/**
 * Starts the server once in the image's build, so that Node.js leaves its compiled code in NODE_COMPILE_CACHE: the
 * image's root is read-only later. An image whose server does not start is not built.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';

const READY = /ready at http/;
const data = mkdtempSync('/tmp/warm-up-');
const options = ['--host', '127.0.0.1', '--port', '0', '--data', data];
const server = spawn(process.execPath, ['dist/main.js', ...options], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
server.stdout.setEncoding('utf8').on('data', (text) => {
  const wasReady = READY.test(output);
  output += text;
  // A second signal would end it at once.
  if (!wasReady && READY.test(output)) server.kill('SIGTERM');
});
const [code] = await once(server, 'close');
rmSync(data, { recursive: true });
if (code !== 0) {
  console.error(output);
  process.exitCode = 1;
}
