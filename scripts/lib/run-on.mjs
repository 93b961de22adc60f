import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { isatty } from 'node:tty';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const STREAMS = [0, 1, 2];

/**
 * Runs a program whose children find this Node.js first on their PATH. This process passes signals on and ends
 * like the program: with its exit code, or by its signal.
 */
export async function runOn(node, program, args) {
  process.env.PATH = [dirname(node), process.env.PATH].join(delimiter);
  const child = spawn(program, args, {
    stdio: 'inherit',
    shell: program !== node && process.platform === 'win32',
  });
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // A terminal sends it to both.
      if (signal !== 'SIGINT' || !STREAMS.some(isatty)) child.kill(signal);
    });
  }
  const [code, signal] = await once(child, 'exit');
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
