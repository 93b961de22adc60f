import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { npm } from './npm.mjs';
import { inProject, Refusal, ROOT, say } from './project.mjs';

/**
 * Errors only: the Nest CLI brings schematics along that ask for a newer Node than the server does.
 * They make new files (`nest generate`); builds do without them, and run on Node 20.19.
 */
const QUIET = ['--loglevel=error', '--no-fund', '--no-audit'];

/** Installs the packages of the lock file unless exactly these are there already. */
export function ensurePackages() {
  if (!packagesMatchLock()) {
    if (isLink('node_modules')) {
      throw new Refusal('node_modules is a link to packages of another lock file: install there.');
    }
    say('installing packages (npm ci); the first time takes a minute');
    // Building needs the development packages, also where NODE_ENV says production.
    npm(['ci', '--include=dev', ...QUIET], 'Is the network reachable?');
  }
  ensureNativePackages();
}

/** npm would remove what the link leads to, which is somebody else's. */
const isLink = (path) =>
  lstatSync(inProject(path), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** npm keeps a lock file of what it really installed; the two are compared package by package. */
export function packagesMatchLock(lockFile = 'package-lock.json') {
  const installed = readPackages('node_modules/.package-lock.json');
  if (installed === undefined) return false;
  const wanted = readPackages(lockFile);
  return Object.entries(wanted).every(
    // Optional packages are those of other systems: npm leaves them out.
    ([path, { version, link, optional }]) =>
      path === '' ||
      (installed[path] ? sameAs(installed[path], { version, link }) : optional === true),
  );
}

/** A workspace is a link without a version of its own here. */
const sameAs = (installed, { version, link }) =>
  installed.version === version && installed.link === link;

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(inProject(file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** SQLite is compiled for one Node.js version: after a change of Node it must be made anew. */
function ensureNativePackages() {
  if (sqliteLoads()) return;
  say(`preparing SQLite for Node.js ${process.versions.node} (npm rebuild)`);
  npm(['rebuild', 'better-sqlite3'], 'It needs a C++ compiler where no prebuilt file fits.');
  if (!sqliteLoads()) throw new Refusal('better-sqlite3 does not load, even after npm rebuild.');
}

/**
 * Loads the binary without opening a database: on Node 24.19 and later better-sqlite3 12 aborts the
 * process when the garbage collector frees a database or statement that was dropped. And in a process of
 * its own: one that met the binary of another Node.js version cannot load the right one any more.
 */
function sqliteLoads() {
  const load = "require('better-sqlite3/build/Release/better_sqlite3.node')";
  return spawnSync(process.execPath, ['-e', load], { cwd: ROOT, stdio: 'ignore' }).status === 0;
}
