import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject, ROOT } from './project.mjs';

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
    return {
      passed: result.numPassedTests,
      // A file that does not even load has no failed test to count.
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}
