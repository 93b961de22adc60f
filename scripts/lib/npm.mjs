import { spawnSync } from 'node:child_process';
import { Refusal, ROOT } from './project.mjs';

/** Runs npm in the project's root; by default its output is passed on. Throws a Refusal if it fails. */
export function npm(args, advice, stdio = 'inherit') {
  // Prefers the npm that started this command, if any: then PATH, shell and .cmd files do not
  // matter.
  const own = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : undefined;
  const [program, first] = own ? [process.execPath, [own]] : ['npm', []];
  const shell = own === undefined && process.platform === 'win32';
  const result = spawnSync(program, [...first, ...args], {
    cwd: ROOT,
    stdio,
    shell,
  });
  if (result.error) throw new Refusal(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) throw new Refusal(`npm ${args[0]} failed. ${advice}`);
}
