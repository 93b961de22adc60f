import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

const CORE = 'src/webauthn';
const SPEC = /\.spec\.ts$/;
const SOURCE = /(?<!\.spec)\.ts$/;
/** The state that the instrumented code and Stryker share. */
const stryker = (globalThis.__stryker__ ??= {});

/**
 * Runs the unit tests of the core in one process, again and again, for Stryker: the mutants are all
 * in the code, one is switched on at a time. Jest would load every module again for each, which takes
 * seconds instead of milliseconds.
 */
class CoreRunner {
  #specs = new Map();

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    await import('../../scripts/lib/register-typescript.mjs');
    this.harness = await import('./harness.mjs');
  }

  async dryRun() {
    for (const path of filesOf(CORE, SOURCE)) await import(urlOf(path));
    // What specs call while they load is not part of the modules: only these make a mutant static,
    // which costs a process of its own.
    const ofModules = structuredClone(stryker.mutantCoverage?.static ?? {});
    const specs = filesOf(CORE, SPEC);
    const tests = [];
    for (const path of specs) tests.push(...(await this.#testsOf(path)));
    if (stryker.mutantCoverage) stryker.mutantCoverage.static = ofModules;
    const results = [];
    for (const test of tests) results.push(await this.#report(test));
    return { status: 'complete', tests: results, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, sandboxFileName, disableBail }) {
    Object.assign(stryker, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const killedBy = [];
    let failureMessage = '';
    let nrOfTests = 0;
    for (const path of specsFor(testFilter, sandboxFileName)) {
      for (const test of await this.#loadedOf(path)) {
        if (testFilter !== undefined && !testFilter.includes(test.id)) continue;
        nrOfTests += 1;
        const failure = test.action === undefined ? test.name : await this.harness.failureOf(test);
        if (stryker.hitCount > hitLimit) return { status: 'timeout', reason: 'an endless loop' };
        if (failure === undefined) continue;
        killedBy.push(test.id);
        failureMessage = failure;
        if (!disableBail) return { status: 'killed', killedBy, failureMessage, nrOfTests };
      }
    }
    return killedBy.length > 0
      ? { status: 'killed', killedBy, failureMessage, nrOfTests }
      : { status: 'survived', nrOfTests };
  }

  async #testsOf(path) {
    const known = this.#specs.get(path);
    if (known !== undefined) return known;
    const tests = await this.harness.loadSpec(path, urlOf(path));
    this.#specs.set(path, tests);
    return tests;
  }

  /** A mutant may break the very modules that a spec loads: that is noticed too. */
  async #loadedOf(path) {
    try {
      return await this.#testsOf(path);
    } catch (error) {
      return [{ id: `${path} loads`, name: String(error) }];
    }
  }

  async #report(test) {
    stryker.currentTestId = test.id;
    const start = performance.now();
    const failureMessage = await this.harness.failureOf(test);
    stryker.currentTestId = undefined;
    const timeSpentMs = performance.now() - start;
    const common = { id: test.id, name: test.name, fileName: test.file, timeSpentMs };
    return failureMessage === undefined
      ? { ...common, status: 0 }
      : { ...common, status: 1, failureMessage };
  }
}

/** The specs that contain one of the given tests, or all; the mutated file's own comes first. */
function specsFor(testFilter, mutated) {
  const own = basename(mutated).replace(SOURCE, '.spec.ts');
  return filesOf(CORE, SPEC)
    .filter((file) => testFilter?.some((id) => id.startsWith(`${file} `)) ?? true)
    .sort((a, b) => Number(basename(b) === own) - Number(basename(a) === own));
}

const filesOf = (folder, kind) =>
  readdirSync(folder, { recursive: true })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => kind.test(file))
    .sort();

const urlOf = (path) => pathToFileURL(join(process.cwd(), path)).href;

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'core', CoreRunner)];
