/**
 * `npm run long -- mutation [name…]`: how much of what is broken on purpose in the WebAuthn core the
 * unit tests beside it notice (Stryker). Names choose files (`cbor tpm`). The report with the
 * surviving mutants is written to `reports/mutation`. Exit code 1 below the bound.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { must } from '../lib/must.mjs';
import { npm } from '../lib/npm.mjs';
import { ensurePackages } from '../lib/packages.mjs';
import { inProject, Refusal, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

const CORE = 'src/webauthn';
const BOUND = 85;
const TOOLS = inProject('config/mutation');
const REPORTS = inProject('reports/mutation');
const REPORT = join(REPORTS, 'report.json');
const NOTICED = new Set(['Killed', 'Timeout']);
/** Mutants that no test can tell from the program are not counted: they did not compile or were left out. */
const COUNTED = new Set([...NOTICED, 'Survived', 'NoCoverage']);
/** Data and types: nothing in them can be broken without breaking a constant. */
const LEFT_OUT = [/attestation\/roots\//, /failure\.ts$/, /metadata-error\.ts$/, /blob-roots\.ts$/];

await run(async () => {
  ensurePackages();
  if (!existsSync(join(TOOLS, 'node_modules/@stryker-mutator/core'))) {
    say('installing the mutation tester in config/mutation');
    npm(
      ['ci', '--prefix', TOOLS, '--no-fund', '--no-audit', '--legacy-peer-deps'],
      'Is the network there?',
    );
  }
  mkdirSync(REPORTS, { recursive: true });
  const files = sources(process.argv.slice(2));
  if (files.length === 0) throw new Refusal(`nothing in ${CORE} has one of these names`);
  const results = evaluate(files);
  const noticed = sum(results, 'noticed');
  const all = sum(results, 'all');
  const score = (100 * noticed) / all;
  console.log(
    `mutation: ${noticed} of ${all} mutants noticed, ${score.toFixed(1)} % (bound ${BOUND} %)`,
  );
  process.exitCode = score >= BOUND ? 0 : 1;
});

function sources(names) {
  return readdirSync(inProject(CORE), { recursive: true })
    .map((file) => `${CORE}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /(?<!\.spec)\.ts$/.test(file) && !LEFT_OUT.some((rule) => rule.test(file)))
    .filter((file) => names.length === 0 || names.includes(basename(file, '.ts')))
    .sort();
}

function evaluate(files) {
  const settings = join(TOOLS, 'stryker.conf.json');
  writeFileSync(settings, JSON.stringify(settingsFor(files)));
  const program = join(TOOLS, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  must(process.execPath, program, 'run', settings);
  return Object.entries(JSON.parse(readFileSync(REPORT, 'utf8')).files).map(resultOf);
}

function resultOf([file, { mutants }]) {
  const counted = mutants.filter((mutant) => COUNTED.has(mutant.status));
  const noticed = counted.filter((mutant) => NOTICED.has(mutant.status)).length;
  say(`${file}: ${noticed} of ${counted.length}`);
  return { noticed, all: counted.length };
}

function settingsFor(files) {
  return {
    testRunner: 'core',
    plugins: [join(TOOLS, 'runner.mjs')],
    coverageAnalysis: 'perTest',
    mutate: files,
    // Names of failures are checked by the compiler, and their details are for logs.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['json'],
    ignorePatterns: ['/config/mutation', '/reports', '/docs', '/bench', '/dist', '/data'],
    jsonReporter: { fileName: REPORT },
    concurrency: availableParallelism(),
    timeoutMS: 10_000,
    allowConsoleColors: false,
  };
}

function sum(results, name) {
  return results.reduce((total, result) => total + result[name], 0);
}
