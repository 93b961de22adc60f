import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { inProject, ROOT } from './project.mjs';

/** More files than this do not fail by a busy machine. */
const MAX_UNSTEADY = 3;

/**
 * Runs Jest; a few files that fail are run once more on their own, since suites that start servers
 * and browsers share their cores. What fails twice has failed; what does not is named.
 *
 * @returns counts, exit code and the files that passed only the second time
 */
export async function runSuites(args, env) {
  const first = await runJest(args, env);
  const files = first.failedFiles;
  if (files.length === 0 || files.length > MAX_UNSTEADY) return { ...first, unsteady: [] };
  console.log(`\nOnce more, on its own: ${files.join(', ')}`);
  const second = await runJest([...args, '--runInBand', '--runTestsByPath', ...files], env);
  return {
    code: second.code,
    passed: first.passedInGoodFiles + second.passed,
    failed: second.failed,
    skipped: first.skipped,
    unsteady: files.filter((file) => !second.failedFiles.includes(file)),
  };
}

/** Runs Jest with these further arguments and environment; answers its counts and exit code. */
export async function runJest(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-jest-'));
  const file = join(folder, 'result.json');
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [inProject('node_modules/jest/bin/jest.js'), '--json', `--outputFile=${file}`];
  try {
    const child = spawn(process.execPath, [...node, ...jest, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      // With --json Jest's own report goes to stderr; stdout would only repeat the file's name.
      stdio: ['inherit', 'ignore', 'inherit'],
    });
    const end = () => {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    };
    process.once('exit', end);
    const code = await new Promise((resolve) => {
      child.once('exit', (status, signal) => resolve(status ?? signal));
    });
    process.off('exit', end);
    return { code, ...countsOf(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(file) {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8'));
    const [bad, good] = [true, false].map((is) =>
      result.testResults.filter(({ status }) => (status === 'failed') === is),
    );
    return {
      passed: result.numPassedTests,
      // A file that does not even load has no failed test to count.
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
      passedInGoodFiles: good
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ status }) => status === 'passed').length,
      failedFiles: bad.map(({ name }) => relative(ROOT, name)),
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0, passedInGoodFiles: 0, failedFiles: [] };
  }
}
