import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram, freePort } from '../scripts/lib/services/programs.mjs';

const TASKSET = findProgram('taskset');
const PATIENCE_MS = 30_000;

/** Pins this process, the client, to the second core. */
export function pinClient() {
  if (TASKSET) execFileSync(TASKSET, ['-a', '-c', '-p', '1', String(process.pid)]);
}

/** Starts a server on the first cores and waits until it accepts connections. */
export async function startServer({ node, flags = [], args, cores = 1 }) {
  const port = await freePort();
  const command = [node, ...flags, ...args(port)];
  const pinned = TASKSET ? [TASKSET, '-c', `0-${cores - 1}`, ...command] : command;
  const child = spawn(pinned[0], pinned.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`did not start: ${command.join(' ')}`);
    }
    await pause(50);
  }
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  return { port, pid: child.pid, stop };
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}
