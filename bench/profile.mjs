import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../scripts/lib/folder.mjs';
import { summaryOf } from './layers.mjs';
import { enter } from './race.mjs';

/** Runs logins under V8's CPU profiler and adds up its samples by layer, largest first. */
export function profileOf(contestant, options) {
  return withFolder('profile', async (folder) => {
    const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
    const { load, server } = await enter(contestant, { ...options, flags });
    const logins = await load.logins(options.seconds * options.rounds);
    // The profile is written when the process ends.
    await server.end();
    const [file] = readdirSync(folder);
    return summary(JSON.parse(readFileSync(join(folder, file), 'utf8')), logins.length);
  });
}

function summary({ nodes, samples, timeDeltas }, logins) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const busy = samples
    .map((id, index) => [frames.get(id), timeDeltas[index]])
    .filter(([{ functionName }]) => functionName !== '(idle)');
  return summaryOf(busy, {
    title: () => `${logins} logins, with start and warm-up. Share of busy time.`,
    show: (time, total) => `${((100 * time) / total).toFixed(1).padStart(6)} %`,
  });
}
