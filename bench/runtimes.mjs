import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { npm } from '../scripts/lib/npm.mjs';
import { inProject, ROOT, say } from '../scripts/lib/project.mjs';

/** What a copy of the project runs without. */
const LEFT_OUT = ['.git', 'bench/results', 'coverage'];

/**
 * A Node.js that servers are measured on.
 *
 * @param wanted a path: it runs this build, whose SQLite was made for the Node.js that is installed. A
 *   major version, such as 24: its newest release is got from npm, with a copy of this tree whose SQLite
 *   is made for it (a minute or two)
 * @returns the program, our main file for it, and what removes both
 */
export function runtimeFor(wanted) {
  if (!/^\d+$/.test(wanted)) {
    return { node: wanted, main: inProject('dist/main.js'), remove: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), `servicefido-node-${wanted}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const program = installNode(join(folder, 'node'), wanted);
    const project = join(folder, 'project');
    copyProject(project);
    makeSqlite(project, program);
    return { node: program, main: join(project, 'dist/main.js'), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The package that npm's own `node` package would choose for this machine; its binary and headers. */
function installNode(folder, major) {
  const name = `node-${process.platform}-${process.arch}`;
  say(`getting ${name}@${major}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const quiet = ['--no-fund', '--no-audit', '--no-save'];
  npm(['install', '--prefix', folder, ...quiet, `${name}@${major}`], 'Is the network reachable?');
  return join(folder, 'node_modules', name, 'bin/node');
}

function copyProject(folder) {
  const wanted = (path) => !LEFT_OUT.includes(relative(ROOT, path).split(sep).join('/'));
  cpSync(ROOT, folder, { recursive: true, verbatimSymlinks: true, filter: wanted });
}

function makeSqlite(project, program) {
  say('making SQLite for it');
  const home = dirname(dirname(program));
  npm(['rebuild', '--prefix', project, 'better-sqlite3'], 'See above.', {
    ...process.env,
    // Where node-gyp finds the headers, if there is no binary to download.
    npm_config_nodedir: home,
    PATH: [dirname(program), process.env.PATH].join(delimiter),
  });
}
