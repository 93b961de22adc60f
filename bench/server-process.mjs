import { execFileSync } from 'node:child_process';
import { devNull } from 'node:os';
import { Program } from '../scripts/lib/program.mjs';
import { findProgram, freePort } from '../scripts/lib/services/programs.mjs';

const TASKSET = findProgram('taskset');

/** Pins this process, the client, to the second core. */
export function pinClient() {
  if (TASKSET) execFileSync(TASKSET, ['-a', '-c', '-p', '1', String(process.pid)]);
}

/** Starts a server on the first cores and waits until it answers. @returns its program, with its port */
export async function startServer({ node, flags = [], args, cores = 1 }) {
  const port = await freePort();
  const command = [node, ...flags, ...args(port)];
  const pinned = TASKSET ? [TASKSET, '-c', `0-${cores - 1}`, ...command] : command;
  const [program, ...words] = pinned;
  const server = Object.assign(new Program(program, devNull), { port });
  server.start(words, { stdio: ['ignore', 'ignore', 'inherit'] });
  await server.until(() => fetch(`http://127.0.0.1:${port}/`), command.join(' '));
  return server;
}
