import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { npm } from './npm.mjs';
import { inProject, readJson, Refusal, say } from './project.mjs';

/** Ignored by git; one folder for each version. */
const CACHE = '.node';
const BLOCK = 512;
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
  say(`fetching ${pin.package} from npm into ${CACHE}: this is Node.js ${process.versions.node}`);
  mkdirSync(inProject(CACHE), { recursive: true });
  const folder = mkdtempSync(inProject(CACHE, 'new-'));
  try {
    const quiet = ['ignore', 'ignore', 'inherit'];
    npm(['pack', pin.package, '--loglevel=error', '--pack-destination', folder], ADVICE, quiet);
    const archive = readFileSync(join(folder, `${pin.package.replace('@', '-')}.tgz`));
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    if (integrity !== pin.integrity) {
      throw new Refusal(`${pin.package} is not the pinned one: it has ${integrity}. ${ADVICE}`);
    }
    const unpacked = join(folder, 'node');
    const inArchive = `package/bin/${program.endsWith('.exe') ? 'node.exe' : 'node'}`;
    writeFileSync(unpacked, fileInTar(gunzipSync(archive), inArchive), { mode: 0o755 });
    mkdirSync(dirname(program), { recursive: true });
    // Atomic, even if two commands download it at the same time.
    renameSync(unpacked, program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads one file of a tar archive, so that only Node.js is needed. */
function fileInTar(tar, wanted) {
  const text = (from, length) => tar.toString('latin1', from, from + length).split('\0', 1)[0];
  for (let at = 0; at < tar.length;) {
    const size = parseInt(text(at + 124, 12), 8) || 0;
    if (text(at, 100) === wanted) return tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Refusal(`${wanted} is not in the package. ${ADVICE}`);
}
