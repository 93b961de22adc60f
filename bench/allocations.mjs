import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { functionOf, layerOf, Sums } from './layers.mjs';
import { enter } from './race.mjs';

const LAYERS = 25;
const FUNCTIONS = 30;
const SAMPLER = `--import=${new URL('allocation-sampler.mjs', import.meta.url)}`;
/** Sampling starts in the server's event loop turn after the signal. */
const START_MS = 300;

/**
 * Returns the allocations of a login on the JavaScript heap, by layer. Unlike CPU time, they hardly
 * depend on the load of the machine: runs differ by some 2 %.
 */
export async function allocationsOf(contestant, options) {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-allocations-'));
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
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary(head, logins) {
  const [layers, functions] = [new Sums(), new Sums()];
  const nodes = [head];
  for (const { callFrame, selfSize, children } of nodes) {
    layers.add(layerOf(callFrame), selfSize / logins);
    functions.add(functionOf(callFrame), selfSize / logins);
    nodes.push(...children);
  }
  return [
    `${logins} logins, ${Math.round(layers.total)} bytes each. By layer:`,
    ...bytes(layers, LAYERS),
    'and by function:',
    ...bytes(functions, FUNCTIONS),
  ].join('\n');
}

const bytes = (sums, count) =>
  sums.largest(count).map(([name, size]) => `${String(Math.round(size)).padStart(7)}  ${name}`);
