#!/usr/bin/env node
/**
 * `npm run long`: lists the tests that take longer than an ordinary run. `npm run long -- NAME [arguments]` runs
 * one; its file in scripts/long says at the top which arguments it takes, or its line in scripts/lib/suites.mjs.
 * It prints one line of figures.
 */
import { runSuite } from './lib/harness.mjs';
import { Refusal } from './lib/project.mjs';
import { run } from './lib/run.mjs';
import { SUITES } from './lib/suites.mjs';

const RUNS = {
  fuzz: 'spoiled requests to every endpoint',
  mutation: 'faults put into the core, and how many its unit tests notice',
  races: 'two requests at once, on every database and on two instances',
  replays: 'one request again and again, also after a restart',
  crash: 'kill -9 under load',
  power: 'power cuts under load',
  faults: 'a MariaDB or Redis that freezes or ends under load',
  cluster: 'a Galera cluster that loses nodes',
  departures: 'instances that stop and start under load',
  upgrade: 'an earlier version that this one replaces under load',
  webhooks: 'deliveries whose receiver or server is killed',
  memory: 'heavy calls from one address',
  hostile: 'heavy calls from many addresses',
  soak: 'ordinary calls for a long time',
  users:
    'what the administration does with a million users, what it costs, and how long others wait',
  findings: 'keys evaluated against new metadata beside sign-ins',
  transfer: 'export and import of a million users',
  autofill: 'sign-in pages that stay open for an hour',
  move: 'users who move from one domain to another',
  pretend: 'whether answers tell users from unknown names',
  pages: 'every page in each theme and width: accessibility, and text that is cut off',
  examples: 'the applications of examples',
  packages: 'the packages that others install',
  release: 'everything that a release consists of, made twice, and the server installed from it',
  image: 'the container image: built, locked down, signed in to',
};

const name = process.argv[2];
if (name === undefined) {
  for (const [name, text] of Object.entries(RUNS)) console.log(`${name.padEnd(12)}${text}`);
} else {
  await run(async () => {
    if (!Object.hasOwn(RUNS, name)) throw new Refusal(`no long run is called "${name}"`);
    // Each test reads its arguments from there.
    process.argv.splice(2, 1);
    await (Object.hasOwn(SUITES, name) ? runSuite(name) : import(`./long/${name}.mjs`));
  });
}
