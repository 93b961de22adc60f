import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { inProject } from './project.mjs';

const FOLDER = inProject('test/.together');
/** Few enough that at the end no worker waits long for another's last. */
const SUITES = 6;
/** What starts processes, browsers and compilers takes long, however short the file is. */
const LONG = /\b(?:ServerProcess|runProgram|openBrowser|AdminBrowser|ProjectCopy|Image\.make)\b/;
const SERVES = /\bTestServer\b/;

/** Whether the suite takes long by what it starts, or is several at once. */
export const isLong = (path) => dirname(path) === FOLDER || LONG.test(readFileSync(path, 'utf8'));

/**
 * Writes files that run several suites each: those that start the server in their own process. Jest
 * loads all modules anew for each file, which takes longer than most of these suites run.
 *
 * @param paths of all suites
 * @returns paths to run in their place, and what each of the new ones stands for
 */
export async function writeTogether(paths) {
  const serving = paths.filter((path) => !isLong(path) && SERVES.test(readFileSync(path, 'utf8')));
  const members = new Map();
  await mkdir(FOLDER, { recursive: true });
  for (const [folder, suites] of byFolder(serving)) {
    for (let n = 0; n * SUITES < suites.length; n += 1) {
      const path = join(FOLDER, `${folder}-${n + 1}.e2e-spec.ts`);
      const some = suites.slice(n * SUITES, (n + 1) * SUITES);
      await writeFile(path, some.map((suite) => `import '${relative(FOLDER, suite)}';\n`).join(''));
      members.set(path, some);
    }
  }
  const alone = paths.filter((path) => !serving.includes(path));
  return { files: [...members.keys(), ...alone], members };
}

export const removeTogether = () => rm(FOLDER, { recursive: true, force: true });

function byFolder(paths) {
  const folders = new Map();
  for (const path of paths.toSorted()) {
    const folder = relative(inProject('test'), path).split('/')[0];
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return folders;
}
