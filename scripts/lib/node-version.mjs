import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { npm } from './npm.mjs';
import { inProject, readJson, Refusal } from './project.mjs';

/** Ignored by git; one folder for each version. */
const CACHE = '.node';
const ADVICE = 'Install Node.js 24 from https://nodejs.org and try again.';

/** Whether the current Node.js satisfies `engines` in package.json. */
export function isSupportedNode() {
  const [neededMajor, neededMinor] = numbers(readJson('package.json').engines.node);
  const [major, minor] = numbers(process.versions.node);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

const numbers = (text) => text.match(/\d+/g).map(Number);

/** The Node.js that replaces one that is too old: version 24, or 22 if npm has no current 24. */
export const standInNode = () => pinnedNode(['24', '22']);

/** The current Node.js if it is of that major version, otherwise the pinned one. */
export function nodeOf(major) {
  return major === process.versions.node.split('.')[0] ? process.execPath : pinnedNode([major]);
}

/** The path of the pinned Node.js of the first of these major versions; downloads it on first use. */
function pinnedNode(majors) {
  const pins = readJson('scripts/lib/pinned-node.json');
  const platform = `${process.platform}-${process.arch}`;
  const pin = majors.map((major) => pins[major]?.[platform]).find(Boolean);
  const found = `Node.js ${process.versions.node} is not the one that is needed`;
  if (isMusl()) throw new Refusal(`${found}, and npm has none for musl (Alpine). ${ADVICE}`);
  if (!pin) throw new Refusal(`${found}, and npm has none for ${platform}. ${ADVICE}`);
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const program = inProject(CACHE, pin.package, file);
  if (!existsSync(program)) fetchNode(pin, program);
  return program;
}

/** glibc reports its version in Node's report; musl does not. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** Downloads the package from npm's configured registry, and keeps only its program. */
function fetchNode(pin, program) {
  // On standard error: standard output may become the value of a variable.
  console.error(
    `servicefido: fetching ${pin.package} from npm into ${CACHE}: this is Node.js ${process.versions.node}`,
  );
  mkdirSync(inProject(CACHE), { recursive: true });
  const folder = mkdtempSync(inProject(CACHE, 'new-'));
  try {
    const quiet = ['ignore', 'ignore', 'inherit'];
    const place = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
    npm(['install', pin.package, '--loglevel=error', ...place], ADVICE, quiet);
    const [name] = pin.package.split('@');
    // npm has compared the archive with this digest.
    const { integrity } = readJson(join(folder, 'package-lock.json')).packages[
      `node_modules/${name}`
    ];
    if (integrity !== pin.integrity) {
      throw new Refusal(`${pin.package} is not the pinned one: it has ${integrity}. ${ADVICE}`);
    }
    const unpacked = join(folder, 'node_modules', name, 'bin', basename(program));
    chmodSync(unpacked, 0o755);
    mkdirSync(dirname(program), { recursive: true });
    // Atomic, even if two commands download it at the same time.
    renameSync(unpacked, program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
