/**
 * `npm run long -- soak [MINUTES --store sqlite|mariadb]`: sign-ins for MINUTES (10). None may fail, and memory and open
 * files must not grow; prints the event loop's delay, and the CPU time of a login at the beginning and at the end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Load } from '../../bench/client/load.mjs';
import { median } from '../../bench/statistics.mjs';
import { printFigures, spread } from '../lib/harness.mjs';
import { runLoad } from '../lib/load/run-load.mjs';

const PHASE_SECONDS = 20;
const USERS = 200;
const CONCURRENCY = 8;
/** The first part fills caches; the slope is measured over the rest. */
const WARM_UP = 0.25;
const MAX_MIB_AN_HOUR = 200;

await runLoad({ usual: 10 }, async ({ size: minutes, server, store }) => {
  await server.start(['--db', store.url]);
  const { port } = server;
  const load = new Load({ port, visitors: USERS, concurrency: CONCURRENCY, prefix: 'soak' });
  await load.prepare();
  const samples = [];
  const durations = [];
  const end = Date.now() + minutes * 60_000;
  while (Date.now() < end) {
    const before = server.cpuSeconds;
    const phase = await load.logins(PHASE_SECONDS);
    const micros = ((server.cpuSeconds - before) / phase.length) * 1e6;
    for (const duration of phase) durations.push(duration);
    await pause(1000);
    const { memory, descriptors } = server;
    samples.push({ at: Date.now(), memory, descriptors, micros, lag: (await server.lag()).p99 });
  }
  const steady = samples.slice(Math.floor(samples.length * WARM_UP));
  const first = steady[0];
  const last = steady.at(-1);
  const hours = Math.max((last.at - first.at) / 3_600_000, PHASE_SECONDS / 3600);
  const slope = Math.round((last.memory - first.memory) / hours);
  // Short runs show the garbage collector's rhythm, not a slope.
  const flat = minutes < 10 || slope < MAX_MIB_AN_HOUR;
  const sameFiles = Math.abs(last.descriptors - first.descriptors) <= CONCURRENCY;
  const cost = (part) => Math.round(median(part.map(({ micros }) => micros)));
  const figures = {
    minutes,
    logins: durations.length,
    'each in': spread(durations),
    'memory MiB': Math.round(last.memory),
    'MiB an hour': slope,
    files: last.descriptors,
    'CPU µs of a login at first': cost(steady.slice(0, Math.ceil(steady.length / 4))),
    'at last': cost(steady.slice(Math.floor((steady.length * 3) / 4))),
    'event loop p99 ms': Math.max(...samples.map(({ lag }) => lag)),
    failed: 0,
  };
  printFigures('soak', figures, server.running && flat && sameFiles);
});
