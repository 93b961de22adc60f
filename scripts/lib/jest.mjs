import { inProject } from './project.mjs';
import { runOn } from './run-on.mjs';

/** Runs Jest with these arguments, and exits with its exit code. Only a path or a project selects proofs. */
export function runJest(args) {
  const isSelected = args.some((arg) => arg.includes('/') || arg === '--selectProjects');
  const chosen = isSelected ? args : [...args, '--ignoreProjects', 'proof'];
  return runOn(process.execPath, process.execPath, [
    inProject('node_modules/jest/bin/jest.js'),
    ...chosen,
  ]);
}
