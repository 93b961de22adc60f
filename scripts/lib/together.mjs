import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { inProject } from './project.mjs';

const FOLDER = inProject('test/.together');
/** What starts processes and compilers takes long, however short the file is. */
const LONG = /\b(?:ServerProcess|runProgram|ProjectCopy|Image\.make)\b/;
const BROWSES = /\b(?:openBrowser|AdminBrowser)\b/;
const SERVES = /\bTestServer\b/;

/** Suites of a kind, so few together that at the end no worker waits long for another's last. */
const KINDS = [
  { name: 'browsing', size: 3, has: (text) => BROWSES.test(text) },
  { name: 'serving', size: 6, has: (text) => !BROWSES.test(text) },
];

/** Whether the suite takes long by what it starts, or is several at once. */
export function isLong(path) {
  const text = readFileSync(path, 'utf8');
  return isTogether(path) || LONG.test(text) || BROWSES.test(text);
}

/** Whether it is several suites at once. */
export const isTogether = (path) => dirname(path) === FOLDER;

/**
 * Writes files that run several suites each: those that start the server in their own process. Jest
 * loads all modules anew for each file, which takes longer than most of these suites run.
 *
 * @param paths of all suites
 * @returns paths to run in their place, and what each of the new ones stands for
 */
export async function writeTogether(paths) {
  const texts = new Map(paths.toSorted().map((path) => [path, readFileSync(path, 'utf8')]));
  const serving = [...texts].filter(([, text]) => SERVES.test(text) && !LONG.test(text));
  const members = new Map();
  await mkdir(FOLDER, { recursive: true });
  for (const { name, size, has } of KINDS) {
    const suites = serving.filter(([, text]) => has(text)).map(([path]) => path);
    for (let n = 0; n * size < suites.length; n += 1) {
      const path = join(FOLDER, `${name}-${n + 1}.e2e-spec.ts`);
      const some = suites.slice(n * size, (n + 1) * size);
      await writeFile(path, some.map((suite) => `import '${relative(FOLDER, suite)}';\n`).join(''));
      members.set(path, some);
    }
  }
  const alone = paths.filter((path) => ![...members.values()].flat().includes(path));
  return { files: [...members.keys(), ...alone], members };
}

export const removeTogether = () => rm(FOLDER, { recursive: true, force: true });
