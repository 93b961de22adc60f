import { inProject } from './project.mjs';
import { runOn } from './run-on.mjs';

/** Runs Jest with these arguments, and exits with its exit code. */
export function runJest(args) {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  jest.push(inProject('node_modules/jest/bin/jest.js'));
  return runOn(process.execPath, process.execPath, [...jest, ...args]);
}
