#!/usr/bin/env node
/**
 * `npm run test:soak [-- MINUTES]`: registrations and sign-ins for so long (10). No ceremony may
 * fail, and memory, open files and the event loop's delay must stay where they were.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Load } from '../bench/client/load.mjs';
import { cpuSeconds } from '../bench/process-meter.mjs';
import { median, percentile } from '../bench/statistics.mjs';
import { ensureBuild } from './lib/build.mjs';
import { printFigures, sizeFrom } from './lib/harness.mjs';
import { OwnServer } from './lib/own-server.mjs';
import { run } from './lib/project.mjs';

const PHASE_SECONDS = 20;
const USERS = 200;
const CONCURRENCY = 8;
/** The first part fills caches; the slope is measured over the rest. */
const WARM_UP = 0.25;
const MOST_MIB_AN_HOUR = 200;

await run(async () => {
  const minutes = sizeFrom(process.argv.slice(2), 10);
  ensureBuild();
  const server = new OwnServer();
  try {
    await server.start();
    await soak(server, minutes);
  } finally {
    await server.remove();
  }
});

async function soak(server, minutes) {
  const load = new Load({
    port: server.port,
    visitors: USERS,
    concurrency: CONCURRENCY,
    prefix: 'soak',
  });
  await load.prepare();
  const samples = [];
  const durations = [];
  const end = Date.now() + minutes * 60_000;
  while (Date.now() < end) {
    const cpu = cpuSeconds(server.pid);
    const phase = await load.logins(PHASE_SECONDS);
    const cost = ((cpuSeconds(server.pid) - cpu) / phase.length) * 1e6;
    for (const duration of phase) durations.push(duration);
    await pause(1000);
    const { memory, descriptors } = server;
    samples.push({ at: Date.now(), memory, descriptors, cost, lag: await lagOf(server.port) });
  }
  const steady = samples.slice(Math.floor(samples.length * WARM_UP));
  const [first, last] = [steady[0], steady.at(-1)];
  const hours = Math.max((last.at - first.at) / 3_600_000, PHASE_SECONDS / 3600);
  const slope = Math.round((last.memory - first.memory) / hours);
  // Short runs see the garbage collector's rhythm, not a slope.
  const flat = minutes < 10 || slope < MOST_MIB_AN_HOUR;
  const sameFiles = Math.abs(last.descriptors - first.descriptors) <= CONCURRENCY;
  const figures = {
    minutes,
    logins: durations.length,
    'p50 ms': msOf(durations, 0.5),
    'p99 ms': msOf(durations, 0.99),
    'memory MiB': Math.round(last.memory),
    'MiB an hour': slope,
    files: last.descriptors,
    'CPU µs at first': costOf(steady.slice(0, Math.ceil(steady.length / 4))),
    'CPU µs at last': costOf(steady.slice(Math.floor((steady.length * 3) / 4))),
    'event loop p99 ms': Math.round(Math.max(...samples.map(({ lag }) => lag)) * 1000),
    failed: 0,
  };
  printFigures('soak', figures, server.running && flat && sameFiles);
}

/** Of a login, as the operating system counts it: read the ratio, and run nothing beside it. */
function costOf(samples) {
  return Math.round(median(samples.map(({ cost }) => cost)));
}

function msOf(durations, share) {
  return Math.round(percentile(durations, share) * 10) / 10;
}

async function lagOf(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1] ?? 0);
}
