import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enter } from './race.mjs';

/** Runs logins under V8's CPU profiler and sums up its samples by layer, largest first. */
export async function profileOf(contestant, options) {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-profile-'));
  try {
    const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
    const { load, server } = await enter(contestant, { ...options, flags });
    const logins = await load.logins(options.seconds * options.rounds);
    // The profile is written when the process ends.
    await server.stop();
    const [file] = readdirSync(folder);
    return layers(JSON.parse(readFileSync(join(folder, file), 'utf8')), logins.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function layers({ nodes, samples, timeDeltas }, logins) {
  const layerOf = new Map(nodes.map(({ id, callFrame }) => [id, layer(callFrame)]));
  const sums = new Map();
  samples.forEach((id, index) => {
    const name = layerOf.get(id);
    sums.set(name, (sums.get(name) ?? 0) + timeDeltas[index]);
  });
  sums.delete('(idle)');
  const busy = [...sums.values()].reduce((sum, time) => sum + time, 0);
  const rows = [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([name, time]) => `${((100 * time) / busy).toFixed(1).padStart(6)} %  ${name}`);
  return [`${logins} logins after start and warm-up; share of busy time:`, ...rows].join('\n');
}

/** A room of ours, a package, Node itself, or what V8 names in brackets. */
function layer({ functionName, url }) {
  const room = /\/dist\/([^/]+)/.exec(url);
  const names = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  if (names.length > 0) return names.at(-1)[1];
  if (room) return `dist/${room[1]}`;
  if (url.startsWith('node:')) return url.split('/')[0] === 'node:internal' ? 'node:internal' : url;
  return functionName.startsWith('(') ? functionName : 'native code';
}
