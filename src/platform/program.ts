import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { projectPath } from './project.js';

/** How texts of the catalogues write the program. */
const WRITTEN = './servicefido';

/**
 * How an operator calls the program: as it was started, so that a command in a message can be copied.
 *
 * @param script the started file: `process.argv[1]`
 * @param hasScript whether the folder has the script `servicefido`, which packages of the program lack
 */
export function programCall(script: string, hasScript: boolean): string {
  if (hasScript) return WRITTEN;
  const folder = dirname(script);
  if (basename(folder) === '.bin') return `npx ${npxPackageOf(join(folder, '../..'))}`;
  return basename(script) === 'servicefido' ? 'servicefido' : `node ${script}`;
}

/**
 * The package that npx was given. npx stores it in the folder into which it installs it; an application that depends on
 * the package has no such folder. As long as the name is not ours in the registry, the file must not become the name.
 */
function npxPackageOf(installation: string): string {
  const manifest = join(installation, 'package.json');
  const content: unknown = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8'));
  const { _npx: npx } = content as { _npx?: { packages?: readonly string[] } };
  const [given = 'servicefido'] = npx?.packages ?? [];
  // Without it, npx would take a full path for a program.
  return isAbsolute(given) ? `file:${given}` : given;
}

export const PROGRAM = programCall(process.argv[1] ?? '', existsSync(projectPath('servicefido')));

/** A text with the program as the operator calls it. */
export const withProgram = (text: string): string => text.replaceAll(WRITTEN, PROGRAM);
