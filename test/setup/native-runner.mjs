/**
 * Jest's test runner (circus) without Jest's VM. A worker imports the modules of `src`, the helpers and the packages
 * once, and each test file and suite anew for each run of a file. In the VM, every file loads all of them again: that
 * costs 2.75 s of CPU for each end-to-end file, and twice the memory.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ModernFakeTimers } from '@jest/fake-timers';
import { transformSync } from '@swc/core';
import { ModuleMocker } from 'jest-mock';
import 'reflect-metadata';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMPILED = join(ROOT, 'node_modules/.cache/compiled-tests');
const COMPILER = readFileSync(join(ROOT, '.swcrc'), 'utf8');
/** Where circus keeps the handlers of a file's events. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

const require = createRequire(import.meta.url);
const { default: runCircus } = require('jest-circus/runner');
const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });

/** The part of Jest's object `jest` that the tests use. */
globalThis.jest = {
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (config) => timers.useFakeTimers(config),
  useRealTimers: () => timers.useRealTimers(),
  getTimerCount: () => timers.getTimerCount(),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
};
const GLOBALS = 'data:text/javascript,export const { jest } = globalThis;';

/** Counts the test files of this worker, so that each is imported as a new module. */
let turn = 0;

mkdirSync(COMPILED, { recursive: true });
process.setSourceMapsEnabled(true);
registerHooks({ resolve, load });

export default async function runNatively(globalConfig, config, _environment, _vm, path, send) {
  turn += 1;
  const environment = { ...process.env };
  // Jest reads stacks by its own source maps, which do not know of these modules.
  Error.prepareStackTrace = undefined;
  try {
    return await runCircus(globalConfig, config, world, runtime, path, send);
  } finally {
    mocker.restoreAllMocks();
    timers.useRealTimers();
    process.env = environment;
  }
}

/** What circus uses of Jest's environment. `TEST_ORDER=reversed` shows which tests rely on the test before them. */
const world = {
  global: globalThis,
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'run_start' && process.env.TEST_ORDER === 'reversed') reverse(rootDescribeBlock);
  },
};

function reverse({ children }) {
  children?.reverse().forEach(reverse);
}

/** What circus uses of Jest's VM. */
const runtime = {
  requireInternalModule(path) {
    globalThis[HANDLERS] = undefined;
    delete require.cache[path];
    return require(path);
  },
  requireModule: require,
  setGlobalsForRuntime: () => undefined,
  unstable_shouldLoadAsEsm: () => true,
  unstable_importModule: (path) => import(`${pathToFileURL(path)}?${turn}`),
  enterTestCode: () => undefined,
  leaveTestCode: () => undefined,
};

/** `./x.js` is `./x.ts` where only that exists, and a suite belongs to the file that imports it. */
function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  if (!specifier.startsWith('.') || !specifier.endsWith('.js')) return next(specifier, context);
  const url = new URL(specifier, context.parentURL);
  url.search = '';
  const source = new URL(url.href.replace(/\.js$/, '.ts'));
  if (!existsSync(source)) return next(specifier, context);
  if (source.href.endsWith('.suite.ts')) source.search = String(turn);
  return { url: source.href, format: 'module', shortCircuit: true };
}

function load(url, context, next) {
  const file = new URL(url);
  if (!file.pathname.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: compile(fileURLToPath(file)), shortCircuit: true };
}

/** The JavaScript of a TypeScript file, kept by what it was made from. */
function compile(path) {
  const source = readFileSync(path, 'utf8');
  const digest = createHash('sha256').update(COMPILER).update(path).update(source).digest('hex');
  const kept = join(COMPILED, `${digest}.mjs`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { code } = transformSync(source, { filename: path, cwd: ROOT });
  const part = `${kept}.${process.pid}`;
  writeFileSync(part, code);
  renameSync(part, kept);
  return code;
}
