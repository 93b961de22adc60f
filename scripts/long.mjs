#!/usr/bin/env node
/**
 * `npm run long`: lists the tests that take longer than an ordinary run. `npm run long -- NAME [arguments]` runs
 * one; its file in scripts/long says at the top which arguments it takes. It prints one line of figures.
 */
import { runSuite } from './lib/harness.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { Refusal } from './lib/project.mjs';
import { run } from './lib/run.mjs';
import { SUITES } from './lib/suites.mjs';

const SCRIPTS = {
  fuzz: 'spoiled requests to every endpoint',
  mutation: 'faults put into the core, and how many its unit tests notice',
  cluster: 'a Galera cluster that loses nodes',
  upgrade: 'an earlier version that this one replaces under load',
  soak: 'ordinary calls for a long time',
  users:
    'what the administration does with a million users, what it costs, and how long others wait',
  findings: 'keys evaluated against new metadata beside sign-ins',
  scim: 'a directory that changes and suspends users beside sign-ins',
  oidc: 'what a login by OpenID Connect costs',
  pretend: 'whether answers tell users from unknown names',
  examples: 'the applications of examples',
  release: 'everything that a release consists of, made twice, installed and used',
  image: 'the container image: built, locked down, signed in to',
};

const name = process.argv[2];
if (name === undefined) {
  for (const [name, text] of Object.entries(SCRIPTS)) console.log(`${name.padEnd(12)}${text}`);
  for (const [name, { text, sizeIs, usual }] of Object.entries(SUITES))
    console.log(`${name.padEnd(12)}${text}; ${sizeIs}: ${usual}`);
} else {
  await run(async () => {
    if (!Object.hasOwn({ ...SCRIPTS, ...SUITES }, name))
      throw new Refusal(`no long run is called "${name}"`);
    // The tests import packages.
    ensurePackages();
    // Each test reads its arguments from there.
    process.argv.splice(2, 1);
    await (Object.hasOwn(SUITES, name) ? runSuite(name) : import(`./long/${name}.mjs`));
  });
}
