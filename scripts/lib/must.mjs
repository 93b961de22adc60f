import { spawnSync } from 'node:child_process';
import { ROOT, Refusal } from './project.mjs';

/** The end of a failed program's output, where its reason is. */
const SHOWN_LINES = 15;

/** Runs a program to its end. @returns what it printed @throws Refusal where it fails */
export const must = (program, ...args) => mustIn(ROOT, program, ...args);

/** Does so elsewhere. @param where its folder, or options of `spawnSync` */
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
