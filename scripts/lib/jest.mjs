import { execFile, spawn } from 'node:child_process';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { inProject, ROOT } from './project.mjs';
import { removeTogether, writeTogether } from './together.mjs';

const JEST = inProject('node_modules/jest/bin/jest.js');
const NODE = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** More failed files than this are not due to a busy machine. */
const MAX_UNSTEADY = 3;

/** The slowest test takes two minutes on a slow machine: after this nothing more will come. */
const SILENCE_MS = 8 * 60_000;

/**
 * Runs all suites as {@link runSuites} does, several of those that load the same together; whichever
 * file of several fails, each of its suites runs on its own.
 */
export async function runAllSuites(env) {
  const { stdout } = await promisify(execFile)(process.execPath, [...NODE, JEST, '--listTests'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  const { files, members } = await writeTogether(stdout.trim().split('\n'));
  try {
    const suitesOf = (file) =>
      members.get(inProject(file))?.map((path) => relative(ROOT, path)) ?? [file];
    return await runSuites([], env, { files, suitesOf });
  } finally {
    await removeTogether();
  }
}

/**
 * Runs Jest; a few files that fail are run once more on their own, since suites that start servers
 * and browsers share their cores. What fails twice has failed; what does not is named. A file that
 * hangs has failed too: Jest by itself would wait for it for ever.
 *
 * @param silenceMs how long no file or test may begin or end
 * @param files to run; without, those that the arguments name
 * @param suitesOf what a file that failed consists of
 * @returns counts, exit code and the files that passed only the second time
 */
export async function runSuites(
  args,
  env,
  { silenceMs = SILENCE_MS, files: asked, suitesOf = (file) => [file] } = {},
) {
  const byPath = (paths) => [...args, '--runTestsByPath', ...paths];
  const first = await runJest(asked ? byPath(asked) : args, env, silenceMs);
  const { failedFiles } = first;
  if (failedFiles.length === 0 || failedFiles.length > MAX_UNSTEADY || first.unbegun > 0)
    return { ...first, unsteady: [] };
  const files = failedFiles.flatMap(suitesOf);
  const second = [];
  for (const file of files) {
    console.log(`\nOnce more, on its own: ${file}`);
    second.push(await runJest(byPath([file]), env, silenceMs));
  }
  const hasPassed = ({ code, failed }) => code === 0 && failed === 0;
  return {
    code: second.every(hasPassed) ? 0 : 1,
    passed: first.passedInGoodFiles + sum(second, 'passed'),
    failed: sum(second, 'failed'),
    skipped: first.skipped,
    unsteady: files.filter((_file, n) => hasPassed(second[n])),
  };
}

/**
 * Runs Jest with these further arguments and environment.
 *
 * @param silenceMs how long no file or test may begin or end before all of it is killed; without, for ever
 * @returns counts of tests, the exit code (the signal's name where one ended it), the files that
 *   failed or hung, and how many were never begun
 */
export async function runJest(args, env, silenceMs) {
  // Last of all: Jest would take a path that follows for one more reporter.
  const reporters = [
    '--reporters=default',
    `--reporters=${inProject('scripts/lib/jest-progress.mjs')}`,
  ];
  const child = spawn(process.execPath, [...NODE, JEST, ...args, ...reporters], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A group of its own: what hangs is one of Jest's workers, and it must end with Jest.
    detached: true,
  });
  const progress = new Progress();
  const end = () => signalGroup(child.pid, 'SIGTERM');
  const patience = silenceMs && setTimeout(giveUp, silenceMs);
  function giveUp() {
    const hung = progress.running.join(', ');
    console.error(`\nNothing for ${silenceMs / 1000} s. What hangs: ${hung}`);
    signalGroup(child.pid, 'SIGKILL');
  }
  child.on('message', (message) => {
    progress.note(message);
    patience?.refresh();
  });
  process.once('exit', end);
  const code = await new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve(status ?? signal));
  });
  process.off('exit', end);
  clearTimeout(patience);
  return { code, ...progress.counts };
}

/** What is known of a run from the messages of its reporter. */
class Progress {
  #files = 0;
  #running = new Set();
  #results = [];

  note({ files, begun, ended, ...counts }) {
    if (files) this.#files = files;
    if (begun) this.#running.add(begun);
    if (!ended) return;
    this.#running.delete(ended);
    this.#results.push({ file: relative(ROOT, ended), ...counts });
  }

  get running() {
    return [...this.#running].map((path) => relative(ROOT, path));
  }

  get counts() {
    const hung = this.running;
    const isGood = ({ failed }) => failed === 0;
    const good = this.#results.filter(isGood);
    const bad = this.#results.filter((result) => !isGood(result));
    return {
      passed: sum(this.#results, 'passed'),
      failed: sum(this.#results, 'failed') + hung.length,
      skipped: sum(this.#results, 'skipped'),
      passedInGoodFiles: sum(good, 'passed'),
      failedFiles: [...bad.map(({ file }) => file), ...hung],
      unbegun: this.#files - this.#results.length - hung.length,
    };
  }
}

const sum = (results, count) => results.reduce((all, result) => all + result[count], 0);

function signalGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
