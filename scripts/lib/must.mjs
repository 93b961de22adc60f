import { spawnSync } from 'node:child_process';
import { ROOT, Refusal } from './project.mjs';

/** The number of lines shown of a failed program's output, which ends with the reason. */
const SHOWN_LINES = 15;

/** Runs a program to its end. @returns its output @throws Refusal if it fails */
export const must = (program, ...args) => mustIn(ROOT, program, ...args);

/** As `must`, in another folder. @param where the folder, or options of `spawnSync` */
export function mustIn(where, program, ...args) {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    ...(typeof where === 'string' ? { cwd: where } : where),
    encoding: 'utf8',
    // A build prints megabytes.
    maxBuffer: 1e9,
  });
  if (status === 0) return stdout.trim();
  const end = `${stdout}${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new Refusal(`${program} ${args[0]}: ${error?.message ?? end}`);
}
