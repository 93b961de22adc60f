/**
 * `npm run long -- soak [MINUTES --store sqlite|mariadb]`: registrations and sign-ins for MINUTES (10). No ceremony may fail,
 * and memory and open files must not grow; prints the event loop's delay, and the cost of a login
 * compared with the floor of `npm run bench`, at the beginning and at the end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { CONTESTANTS } from '../../bench/contestants.mjs';
import { Load } from '../../bench/client/load.mjs';
import { cpuSeconds } from '../../bench/process-meter.mjs';
import { startServer } from '../../bench/server-process.mjs';
import { median, percentile } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { runLoad } from '../lib/load/run-load.mjs';

const PHASE_SECONDS = 20;
/** How long the floor is measured between two phases, because the speed of machines varies. */
const FLOOR_SECONDS = 3;
const USERS = 200;
const CONCURRENCY = 8;
/** The first part fills caches; the slope is measured over the rest. */
const WARM_UP = 0.25;
const MAX_MIB_AN_HOUR = 200;

await runLoad({ usual: 10 }, async ({ size: minutes, server, store }) => {
  const floor = await startServer({ node: process.execPath, ...CONTESTANTS.floor.prepare() });
  try {
    await server.start(['--db', store.url]);
    await soak(server, floor, minutes);
  } finally {
    await floor.end();
  }
});

async function soak(server, floor, minutes) {
  const load = await loadOn(server);
  const floorLoad = await loadOn(floor);
  const samples = [];
  const durations = [];
  const end = Date.now() + minutes * 60_000;
  while (Date.now() < end) {
    const phase = await loginsOf(load, server, PHASE_SECONDS);
    for (const duration of phase.durations) durations.push(duration);
    const cost = phase.cost / (await loginsOf(floorLoad, floor, FLOOR_SECONDS)).cost;
    await pause(1000);
    const { memory, descriptors } = server;
    samples.push({ at: Date.now(), memory, descriptors, cost, lag: (await server.lag()).p99 });
  }
  const steady = samples.slice(Math.floor(samples.length * WARM_UP));
  const [first, last] = [steady[0], steady.at(-1)];
  const hours = Math.max((last.at - first.at) / 3_600_000, PHASE_SECONDS / 3600);
  const slope = Math.round((last.memory - first.memory) / hours);
  // Short runs show the garbage collector's rhythm, not a slope.
  const flat = minutes < 10 || slope < MAX_MIB_AN_HOUR;
  const sameFiles = Math.abs(last.descriptors - first.descriptors) <= CONCURRENCY;
  const figures = {
    minutes,
    logins: durations.length,
    'p50 ms': msOf(durations, 0.5),
    'p99 ms': msOf(durations, 0.99),
    'memory MiB': Math.round(last.memory),
    'MiB an hour': slope,
    files: last.descriptors,
    '× floor at first': costOf(steady.slice(0, Math.ceil(steady.length / 4))),
    '× floor at last': costOf(steady.slice(Math.floor((steady.length * 3) / 4))),
    'event loop p99 ms': Math.max(...samples.map(({ lag }) => lag)),
    failed: 0,
  };
  printFigures('soak', figures, server.running && flat && sameFiles);
}

async function loadOn({ port }) {
  const load = new Load({ port, visitors: USERS, concurrency: CONCURRENCY, prefix: 'soak' });
  await load.prepare();
  return load;
}

/** Logs in for this time: returns the durations, and the server's CPU seconds per login. */
async function loginsOf(load, { pid }, seconds) {
  const before = cpuSeconds(pid);
  const durations = await load.logins(seconds);
  return { durations, cost: (cpuSeconds(pid) - before) / durations.length };
}

/** The cost of a login, as a multiple of the floor's at the same time. */
function costOf(samples) {
  return Math.round(median(samples.map(({ cost }) => cost)) * 100) / 100;
}

function msOf(durations, share) {
  return Math.round(percentile(durations, share) * 10) / 10;
}
