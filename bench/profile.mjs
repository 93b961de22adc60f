import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enter } from './race.mjs';

const LAYERS = 25;
const FUNCTIONS = 30;

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
    return summary(JSON.parse(readFileSync(join(folder, file), 'utf8')), logins.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary({ nodes, samples, timeDeltas }, logins) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const layers = new Map();
  const functions = new Map();
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame.functionName === '(idle)') return;
    add(layers, layer(frame), timeDeltas[index]);
    add(functions, `${frame.functionName || '(anonymous)'}  ${place(frame)}`, timeDeltas[index]);
  });
  return [
    `${logins} logins, with start and warm-up. Share of busy time by layer:`,
    ...largest(layers, LAYERS),
    'and by function:',
    ...largest(functions, FUNCTIONS),
  ].join('\n');
}

function add(sums, name, time) {
  sums.set(name, (sums.get(name) ?? 0) + time);
}

function largest(sums, count) {
  const all = [...sums.values()].reduce((sum, time) => sum + time, 0);
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, time]) => `${((100 * time) / all).toFixed(1).padStart(6)} %  ${name}`);
}

const place = ({ url, lineNumber }) =>
  url && `${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`;

/** A room of ours, a package, Node itself, or what V8 names in brackets. */
function layer({ functionName, url }) {
  const room = /\/dist\/([^/]+)/.exec(url);
  const names = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  if (names.length > 0) return names.at(-1)[1];
  if (room) return `dist/${room[1]}`;
  if (url.startsWith('node:')) return url.split('/')[0] === 'node:internal' ? 'node:internal' : url;
  return functionName.startsWith('(') ? functionName : 'native code';
}
