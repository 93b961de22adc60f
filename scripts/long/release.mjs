/**
 * `npm run long -- release [BASE]`: makes the release of the current commit twice, in two clones, and compares the
 * bytes. Then it installs the server's package into an empty folder with only node, sh and env available, starts the
 * server and calls it. BASE replaces the base image of the Dockerfile. Prints one line; exit code 1 on a difference or
 * fault.
 */
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../lib/folder.mjs';
import { must, mustIn } from '../lib/must.mjs';
import { Program } from '../lib/program.mjs';
import { readJson, Refusal, ROOT, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findProgram, freePort } from '../lib/services/programs.mjs';

const SUMS = 'SHA256SUMS';
const IMAGE = '.oci.tar';
const PATIENCE_MS = 120_000;

await run(async () => {
  await withFolder('release', async (folder) => {
    const clones = ['one', 'other'].map((name) => join(folder, name));
    // Clone both first: a release takes minutes, during which a commit must not change the result.
    for (const clone of clones) must('git', 'clone', '--quiet', '--no-tags', ROOT, clone);
    const [one, other] = clones.map(makeRelease);
    compare(one, other);
    const files = readdirSync(one);
    const { packages, installed } = install(folder, one);
    const started = await start(folder);
    const image = files.some((file) => file.endsWith(IMAGE)) ? 'with the image' : 'NO IMAGE';
    say(
      `release: ${files.length} files, the same bytes twice, ${image}; ` +
        `${packages} packages installed in ${installed} s, ready in ${started} s`,
    );
  });
});

/** @returns the folder with the files of the release */
function makeRelease(folder) {
  const base = process.argv[2] ? ['--base', process.argv[2]] : [];
  mustIn(folder, process.execPath, 'scripts/release.mjs', '--dry-run', ...base);
  return join(folder, 'release');
}

function compare(one, other) {
  const [lines, others] = [one, other].map((folder) =>
    readFileSync(join(folder, SUMS), 'utf8').split('\n'),
  );
  const different = lines.filter((line) => !others.includes(line)).map((line) => line.slice(66));
  if (different.length > 0 || lines.length !== others.length) {
    throw new Refusal(`release: made twice, these differ: ${different.join(', ')}`);
  }
}

function install(folder, release) {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, 'node'));
  for (const name of ['sh', 'env']) symlinkSync(findProgram(name), join(programs, name));
  const place = join(folder, 'installed');
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{ "private": true }');
  const archive = readdirSync(release).find((file) => /^servicefido-\d.*\.tgz$/.test(file));
  const npm = realpathSync(findProgram('npm'));
  const began = performance.now();
  const env = { ...process.env, PATH: programs };
  mustIn({ cwd: place, env }, 'node', npm, 'install', '--no-audit', join(release, archive));
  const { packages } = readJson(join(place, 'package-lock.json'));
  return { packages: Object.keys(packages).length - 1, installed: secondsSince(began) };
}

async function start(folder) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['--port', String(port), '--data', join(folder, 'data')];
  const program = join(folder, 'installed/node_modules/.bin/servicefido');
  const env = { PATH: join(folder, 'programs') };
  const began = performance.now();
  const server = new Program(program, join(folder, 'output.log'));
  server.start(args, { env });
  try {
    const isReady = async () => (await statusOf(`${url}/health/ready`)) === 200;
    await server.until(isReady, 'the installed server', PATIENCE_MS);
    const started = secondsSince(began);
    const call = await fetch(`${url}/fidoapi/test`);
    const { version } = await call.json();
    const { version: expected } = readJson('package.json');
    if (version !== expected) throw new Refusal(`release: the server says it is ${version}`);
    for (const path of [
      '/sdk/servicefido.js',
      '/assets/pico/pico.min.css',
      '/assets/source-sans/index.css',
      '/demo',
    ]) {
      const status = await statusOf(`${url}${path}`);
      if (status !== 200) throw new Refusal(`release: ${path} answers ${status}`);
    }
    return started;
  } finally {
    await server.end();
  }
}

function statusOf(url) {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
}

function secondsSince(began) {
  return ((performance.now() - began) / 1000).toFixed(1);
}
