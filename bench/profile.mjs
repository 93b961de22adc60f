import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionOf, layerOf, Sums } from './layers.mjs';
import { enter } from './race.mjs';

const LAYERS = 25;
const FUNCTIONS = 30;

/** Runs logins under V8's CPU profiler and adds up its samples by layer, largest first. */
export async function profileOf(contestant, options) {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-profile-'));
  try {
    const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
    const { load, server } = await enter(contestant, { ...options, flags });
    const logins = await load.logins(options.seconds * options.rounds);
    // The profile is written when the process ends.
    await server.stop();
    const [file] = readdirSync(folder);
    return summary(JSON.parse(readFileSync(join(folder, file), 'utf8')), logins.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary({ nodes, samples, timeDeltas }, logins) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [layers, functions] = [new Sums(), new Sums()];
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame.functionName === '(idle)') return;
    layers.add(layerOf(frame), timeDeltas[index]);
    functions.add(functionOf(frame), timeDeltas[index]);
  });
  return [
    `${logins} logins, with start and warm-up. Share of busy time by layer:`,
    ...shares(layers, LAYERS),
    'and by function:',
    ...shares(functions, FUNCTIONS),
  ].join('\n');
}

const shares = (sums, count) =>
  sums
    .largest(count)
    .map(([name, time]) => `${((100 * time) / sums.total).toFixed(1).padStart(6)} %  ${name}`);
