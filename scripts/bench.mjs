#!/usr/bin/env node
/** `npm run bench [-- flags]`: compares ServiceFido with the floor and the usual server. See bench/README.md. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { allocationsOf } from '../bench/allocations.mjs';
import { CONTESTANTS } from '../bench/contestants.mjs';
import { benchOptions } from '../bench/options.mjs';
import { profileOf } from '../bench/profile.mjs';
import { enter, resultOf, takeTurn } from '../bench/race.mjs';
import { report } from '../bench/report.mjs';
import { pinClient } from '../bench/server-process.mjs';
import { ensureBuild } from './lib/build.mjs';
import { nodeOf } from './lib/node-version.mjs';
import { inProject, Refusal, say } from './lib/project.mjs';
import { run } from './lib/run.mjs';

const interrupted = new Promise((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => reject(new Refusal(`stopped by ${signal}`)));
  }
});

await run(async () => {
  const options = benchOptions(process.argv.slice(2));
  ensureBuild();
  pinClient();
  for (const wanted of options.nodes) {
    const node = /^\d+$/.test(wanted) ? nodeOf(wanted) : wanted;
    // A bundle would hide the module of a frame.
    const main = inProject(options.look ? 'dist/unbundled.js' : 'dist/main.js');
    await benchOn({ ...options, node, main });
  }
});
// Also ends processes that an interruption left running.
process.exit();

async function benchOn(options) {
  const ready = await prepareAll(options);
  try {
    const measure = { profile: profileOf, allocations: allocationsOf }[options.look];
    const work = measure ? look(ready, options, measure) : race(ready, options);
    await Promise.race([work, interrupted]);
  } finally {
    for (const one of ready) await one.ready.cleanUp?.();
  }
}

async function prepareAll(options) {
  const all = [];
  for (const name of options.names) {
    const ready = await CONTESTANTS[name].prepare(options);
    if (ready.absent) say(`without "${CONTESTANTS[name].title}": ${ready.absent}`);
    else all.push({ name, ...CONTESTANTS[name], ready });
  }
  return all;
}

async function race(ready, options) {
  const entries = [];
  try {
    for (const one of ready) {
      say(`warming up: ${one.title}`);
      entries.push(await enter(one, options));
    }
    for (let round = 1; round <= options.rounds; round += 1) {
      say(`round ${round} of ${options.rounds}`);
      for (const entry of entries) await takeTurn(entry, options.seconds);
    }
    const results = entries.map(resultOf);
    const version = execFileSync(options.node, ['--version']).toString().trim();
    console.log(`\nNode.js ${version}\n${report(results)}`);
    keep(results, { ...options, version });
  } finally {
    for (const { server } of entries) await server.end();
  }
}

function keep(results, { version: node, ...options }) {
  const date = new Date().toISOString();
  const file = inProject('bench/results', `${date.replaceAll(/[:.]/g, '-')}.json`);
  mkdirSync(inProject('bench/results'), { recursive: true });
  const facts = { date, node, processor: cpus()[0].model, cores: cpus().length, options };
  writeFileSync(file, `${JSON.stringify({ ...facts, results }, null, 2)}\n`);
  say(`kept in ${file}`);
}

/** Profiles our own servers; their speed during profiling is meaningless. */
async function look(ready, options, measure) {
  for (const one of ready.filter(({ isOurs }) => isOurs)) {
    say(`looking into: ${one.title}`);
    console.log(await measure(one, options));
  }
}
