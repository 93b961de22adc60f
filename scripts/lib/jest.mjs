import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';
import { runOn } from './run-on.mjs';

/** A folder in memory, on Linux. */
const MEMORY = '/dev/shm';
/** What all temporary files of a whole run take, with room to spare. */
const NEEDED_BYTES = 8 * 1024 ** 3;

/** Runs Jest with these arguments, and exits with its exit code. Only a path or a project selects proofs. */
export async function runJest(args) {
  const isSelected = args.some((arg) => arg.includes('/') || arg === '--selectProjects');
  const chosen = isSelected ? args : [...args, '--ignoreProjects', 'proof'];
  const jest = [inProject('node_modules/jest/bin/jest.js'), ...chosen];
  if (process.env.TMPDIR !== undefined || !hasMemoryFolder()) {
    await runOn(process.execPath, process.execPath, jest);
    return;
  }
  // The databases of the tests sync all the time: on a busy disk they would wait for seconds.
  const folder = mkdtempSync(join(MEMORY, 'servicefido-'));
  process.env.TMPDIR = folder;
  try {
    await runOn(process.execPath, process.execPath, jest);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the folder in memory exists and has room. */
function hasMemoryFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
