import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withFolder } from '../scripts/lib/folder.mjs';
import { summaryOf } from './layers.mjs';
import { enter } from './race.mjs';

const SAMPLER = `--import=${new URL('allocation-sampler.mjs', import.meta.url)}`;
/** Sampling starts in the server's event loop turn after the signal. */
const START_MS = 300;

/**
 * Returns the allocations of a login on the JavaScript heap, by layer. Unlike CPU time, they hardly
 * depend on the load of the machine: runs differ by some 2 %.
 */
export function allocationsOf(contestant, options) {
  return withFolder('allocations', async (folder) => {
    const file = join(folder, 'samples.json');
    process.env.BENCH_ALLOCATIONS = file;
    const { load, server } = await enter(contestant, { ...options, flags: [SAMPLER] });
    try {
      process.kill(server.pid, 'SIGUSR2');
      await pause(START_MS);
      const logins = await load.logins(options.seconds);
      process.kill(server.pid, 'SIGUSR2');
      while (!existsSync(file)) await pause(50);
      return summary(JSON.parse(readFileSync(file, 'utf8')), logins.length);
    } finally {
      await server.end();
    }
  });
}

function summary(head, logins) {
  const nodes = [head];
  for (const { children } of nodes) nodes.push(...children);
  const frames = nodes.map(({ callFrame, selfSize }) => [callFrame, selfSize / logins]);
  return summaryOf(frames, {
    title: (bytes) => `${logins} logins, ${Math.round(bytes)} bytes each.`,
    show: (bytes) => String(Math.round(bytes)).padStart(7),
  });
}
