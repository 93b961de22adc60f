import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';

interface Rule {
  readonly pattern: RegExp;
  readonly keeps: boolean;
}

/** Files that this list omits, whatever `.dockerignore` says: there are too many. */
const NOT_LISTED = ['node_modules', '.git'];

/**
 * The files that `docker build` sends, as `.dockerignore` says: its last rule that matches a path, or a
 * folder above it, decides.
 *
 * @returns paths from the root of the project
 */
export function buildContext(): string[] {
  const rules = readFileSync(projectPath('.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf);
  const top = readdirSync(projectPath('.'), { withFileTypes: true });
  return top
    .filter(({ name }) => !NOT_LISTED.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(entry.name) : [entry.name]))
    .filter((path) => rules.findLast(({ pattern }) => pattern.test(path))?.keeps ?? true);
}

function filesBelow(folder: string): string[] {
  return readdirSync(projectPath(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(projectPath('.').length));
}

/** `*` stands for anything within one name, `**` for any number of folders. */
function ruleOf(line: string): Rule {
  const keeps = line.startsWith('!');
  const glob = keeps ? line.slice(1) : line;
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*\*|\*|\?/g, (sign) => GLOB[sign] ?? sign);
  return { pattern: new RegExp(`^${source}(?:/|$)`), keeps };
}

const GLOB: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};
