import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { ensurePackages } from './packages.mjs';
import { inProject, say } from './project.mjs';

const SOURCES = [
  'src',
  'views/public',
  'packages/browser/src',
  'packages/node/src',
  'packages/testing/src',
  'build.mjs',
  'scripts/lib/outside.mjs',
  '.swcrc',
  'package-lock.json',
  'tsconfig.json',
  'packages/browser/build.mjs',
  'packages/browser/package.json',
  'packages/browser/tsconfig.json',
  'packages/node/package.json',
  'packages/node/tsconfig.json',
  'packages/testing/package.json',
  'packages/testing/tsconfig.json',
];
const RESULTS = [
  'dist/main.js',
  'dist/server.js',
  'dist/unbundled.js',
  'packages/browser/dist/servicefido.js',
  'packages/node/dist/index.js',
  'packages/testing/dist/index.js',
];

/** Installs missing packages, and builds if a result is missing or older than the newest source. */
export function ensureBuild() {
  ensurePackages();
  const built = Math.min(...RESULTS.map((path) => modified(path) ?? 0));
  if (built >= Math.max(...SOURCES.map(newest))) return;
  say('building (npm run build)');
  try {
    npm(['run', '--silent', 'build'], 'The messages above say where.');
  } catch (error) {
    // A failed build has already written files, which the next start must not use.
    RESULTS.forEach((path) => rmSync(inProject(path), { force: true }));
    throw error;
  }
}

function modified(path) {
  return statSync(inProject(path), { throwIfNoEntry: false })?.mtimeMs;
}

/** The time of the newest change of a file or below a folder; folders count, so a removed file is noticed. */
function newest(path) {
  const isFolder = statSync(inProject(path), { throwIfNoEntry: false })?.isDirectory();
  const inside = isFolder ? readdirSync(inProject(path), { recursive: true }) : [];
  return Math.max(...['', ...inside].map((name) => modified(join(path, name)) ?? 0));
}
