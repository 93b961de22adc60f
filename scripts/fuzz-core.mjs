#!/usr/bin/env node
/**
 * `npm run test:fuzz-core [-- COUNT [SEED]]`: COUNT spoiled inputs (1,000,000) over all parsers of the
 * WebAuthn core. Each must be accepted or refused with an error of the core, within 50 ms, and memory must
 * stay flat. Prints one line; exit code 1 where that was not so.
 */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ensurePackages } from './lib/packages.mjs';
import { Refusal, run } from './lib/project.mjs';

const MOST_MS = 50;
const MOST_DRIFT_MIB = 64;
const MIB = 1024 * 1024;

await run(async () => {
  const [count = 1_000_000, seed = Date.now() % 2 ** 32, ...rest] = process.argv
    .slice(2)
    .map(Number);
  const understood = [count, seed].every((number) => Number.isInteger(number) && number > 0);
  if (!understood || rest.length > 0) throw new Refusal('takes a number of inputs and a seed');
  ensurePackages();
  await import('./lib/register-typescript.mjs');
  const { randomFrom, spoil } = await import('../test/support/fuzz/spoil.ts');
  const { TARGETS, refusalOf } = await import('../test/support/fuzz/targets.ts');
  const random = randomFrom(seed);
  const found = { crashes: [], slow: [], slowest: { ms: 0, target: '' }, heap: 0 };
  for (let index = 0; index < count; index++) {
    const target = TARGETS[index % TARGETS.length];
    const input = spoil(target.seeds[random(target.seeds.length)], random);
    evaluate(target, input, { refusalOf, found });
    // What is allocated once has been allocated by now.
    if (index === Math.floor(count / 10)) found.heap = heapUsed();
  }
  const drift = Math.round((heapUsed() - found.heap) / MIB);
  const { ms, target } = found.slowest;
  console.log(
    `fuzz-core: ${count} inputs (seed ${seed}), ${found.crashes.length} crashes, ` +
      `slowest ${ms.toFixed(1)} ms (${target}), ${found.slow.length} over ${MOST_MS} ms twice, ` +
      `heap drift ${drift} MiB`,
  );
  [...found.crashes, ...found.slow].slice(0, 5).forEach((line) => console.error(line));
  const held = found.crashes.length === 0 && found.slow.length === 0 && drift <= MOST_DRIFT_MIB;
  process.exitCode = held ? 0 : 1;
});

/** A busy machine stops a process now and then: an input is slow if it takes as much CPU time again. */
function evaluate(target, input, { refusalOf, found }) {
  try {
    const first = timeOf(() => refusalOf(target, input));
    const again = () => cpuTimeOf(() => refusalOf(target, input));
    const ms = first <= MOST_MS ? first : Math.min(first, again());
    if (ms > found.slowest.ms) found.slowest = { ms, target: target.name };
    if (ms > MOST_MS) found.slow.push(`${target.name}, ${ms} ms: ${input.toString('hex')}`);
  } catch (error) {
    found.crashes.push(`${target.name}, ${error}: ${input.toString('hex')}`);
  }
}

function timeOf(action) {
  const start = performance.now();
  action();
  return performance.now() - start;
}

function cpuTimeOf(action) {
  const start = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function heapUsed() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
