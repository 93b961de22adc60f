import { lstatSync } from 'node:fs';
import { npm } from './npm.mjs';
import { inProject, readJson, Refusal, say } from './project.mjs';

/** Installs the packages of the lock file unless exactly these are installed. */
export function ensurePackages() {
  if (!packagesMatchLock()) {
    if (isLink('node_modules')) {
      throw new Refusal('node_modules is a link to packages of another lock file: install there.');
    }
    say('installing packages (npm ci); the first time takes a minute');
    // A build needs the development packages, even if NODE_ENV is production.
    npm(['ci', '--include=dev', '--loglevel=error'], 'Is the network reachable?');
  }
}

/** npm would remove the target of the link, which belongs to another project. */
const isLink = (path) =>
  lstatSync(inProject(path), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** npm writes a lock file of the installed packages; the two are compared package by package. */
export function packagesMatchLock(lockFile = 'package-lock.json') {
  const installed = readPackages('node_modules/.package-lock.json');
  if (installed === undefined) return false;
  const wanted = readPackages(lockFile);
  return Object.entries(wanted).every(
    // Optional packages may be for other systems: npm omits them.
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
    return readJson(file).packages;
  } catch {
    return undefined;
  }
}
