/**
 * `npm run long -- release [BASE]`: makes the release of the current commit twice, in two clones, and compares the
 * bytes. Then it installs the server's package into an empty folder with only node, sh and env available, starts the
 * server and calls it. It installs the packages for applications into another, compiles a program against them with
 * each way in which TypeScript resolves modules, and loads them, also from CommonJS. BASE replaces the base image of
 * the Dockerfile. Prints one line; exit code 1 on a difference or fault.
 */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../lib/folder.mjs';
import { must, mustIn } from '../lib/must.mjs';
import { OwnServer } from '../lib/own-server.mjs';
import { readJson, Refusal, ROOT, inProject, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findProgram } from '../lib/services/programs.mjs';

const SUMS = 'SHA256SUMS';
const FILES = [
  '/sdk/servicefido.js',
  '/assets/pico/pico.min.css',
  '/assets/source-sans/files/source-sans-3-latin-wght-normal.woff2',
];
/** `moduleResolution`, and its matching `module`. */
const WAYS = { node16: 'node16', nodenext: 'nodenext', bundler: 'preserve' };
const TSC =
  '--lib ES2023,DOM --strict --exactOptionalPropertyTypes --skipLibCheck false --target ES2022 ' +
  '--types node --noEmit --experimentalDecorators consumer.ts';
const ENTRIES = [
  '@servicefido/node',
  '@servicefido/node/express',
  '@servicefido/node/nest',
  '@servicefido/testing',
];
/** What the program uses besides, in the versions of this project. */
const OTHERS = '@nestjs/common @types/express @types/node express reflect-metadata rxjs'.split(' ');

await run(async () => {
  await withFolder('release', async (folder) => {
    const clones = ['one', 'other'].map((name) => join(folder, name));
    // Clone both first: a release takes minutes, during which a commit must not change the result.
    for (const clone of clones) must('git', 'clone', '--quiet', '--no-tags', ROOT, clone);
    const [one, other] = clones.map(makeRelease);
    must('diff', join(one, SUMS), join(other, SUMS));
    const files = readdirSync(one);
    await tryServer(folder, archivesOf(one, /^servicefido-\d/));
    tryClients(folder, archivesOf(one, /^servicefido-[a-z]/));
    const image = files.some((file) => file.endsWith('.oci.tar')) ? 'with the image' : 'NO IMAGE';
    say(`release: ${files.length} files, the same bytes twice, ${image}; all packages work`);
  });
});

/** @returns the folder with the files of the release */
function makeRelease(folder) {
  const base = process.argv[2] ? ['--base', process.argv[2]] : [];
  mustIn(folder, process.execPath, 'scripts/release.mjs', '--dry-run', ...base);
  return join(folder, 'release');
}

function archivesOf(release, pattern) {
  const names = readdirSync(release).filter((name) => pattern.test(name) && name.endsWith('.tgz'));
  return names.map((name) => join(release, name));
}

/** @returns the folder of a new project with these packages */
function install(folder, packages, env = process.env) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const npm = [realpathSync(findProgram('npm')), 'install', '--no-audit', '--no-fund'];
  mustIn({ cwd: folder, env }, 'node', ...npm, ...packages);
  return folder;
}

async function tryServer(folder, archives) {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, 'node'));
  for (const name of ['sh', 'env']) symlinkSync(findProgram(name), join(programs, name));
  const place = install(join(folder, 'server'), archives, { ...process.env, PATH: programs });
  const server = new OwnServer(join(place, 'node_modules/.bin/servicefido'));
  try {
    await server.start();
    const { version } = await (await fetch(`${server.url}/fidoapi/test`)).json();
    const { version: expected } = readJson('package.json');
    if (version !== expected) throw new Refusal(`release: the server says it is ${version}`);
    for (const path of [...FILES, '/demo', '/health/ready']) {
      const { status } = await fetch(server.url + path);
      if (status !== 200) throw new Refusal(`release: ${path} answers ${status}`);
    }
  } finally {
    await server.remove();
  }
}

function tryClients(folder, archives) {
  const { packages } = readJson('package-lock.json');
  const others = OTHERS.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  const place = install(join(folder, 'consumer'), [...archives, ...others]);
  copyFileSync(inProject('scripts/lib/consumer.ts'), join(place, 'consumer.ts'));
  const node = (...args) => mustIn(place, process.execPath, ...args);
  const tsc = inProject('node_modules/typescript/bin/tsc');
  for (const [way, module] of Object.entries(WAYS))
    node(tsc, '--module', module, '--moduleResolution', way, ...TSC.split(' '));
  for (const name of ENTRIES) {
    node('--input-type=module', '-e', `await import('${name}')`);
    node('--input-type=commonjs', '-e', `require('${name}')`);
  }
}
