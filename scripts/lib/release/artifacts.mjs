import { createHash } from 'node:crypto';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../folder.mjs';
import { must, mustIn } from '../must.mjs';
import { npm } from '../npm.mjs';
import { ensureOpenApi, keptApi, minifiedApi } from '../openapi.mjs';
import { OUTSIDE } from '../outside.mjs';
import { Refusal, inProject, readJson } from '../project.mjs';

const CHECKSUMS = 'SHA256SUMS';
/** Documents that npm does not include automatically. */
const DOCUMENTS = ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md'];
const PACK = ['pack', '--ignore-scripts', '--silent', '--pack-destination'];

/** Builds without the results of an earlier build. */
export function buildAfresh() {
  for (const folder of [
    'dist',
    'packages/browser/dist',
    'packages/node/dist',
    'packages/testing/dist',
  ]) {
    rmSync(inProject(folder), { recursive: true, force: true });
  }
  npm(['run', '--silent', 'build'], 'The messages above say where.');
}

/** Refuses a version whose stored OpenAPI document differs from the current one. */
export function requireKeptApi(version) {
  ensureOpenApi();
  if (keptApi(version) !== minifiedApi()) {
    throw new Refusal(
      `docs/api/${version}.json is missing or differs: npm run openapi -- --keep, then commit it.`,
    );
  }
}

/**
 * Packs the built server. It depends on the packages outside its bundle, in the versions of the lock file, so that
 * an installation runs the tested code.
 */
export async function packServer(folder) {
  const { files, name, version, description, license, type, engines, bin } =
    readJson('package.json');
  const { packages } = readJson('package-lock.json');
  const dependencies = Object.fromEntries(
    OUTSIDE.map((other) => [other, packages[`node_modules/${other}`].version]),
  );
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin,
    files: [...files, 'NOTICE', 'CHANGELOG.md'],
    dependencies,
  };
  await withFolder('pack', (stage) => {
    for (const path of [...files, ...DOCUMENTS]) {
      cpSync(inProject(path), join(stage, path), { recursive: true });
    }
    writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest, null, 2));
    mustIn(stage, 'npm', ...PACK, folder);
  });
}

/** Packs the built packages for applications. */
export function packClients(folder) {
  must('npm', ...PACK, folder, '--workspaces');
}

/** Writes the checksums of all files of a folder in the format of `sha256sum --check`. @returns all file names */
export function writeChecksums(folder) {
  const files = readdirSync(folder).sort();
  const lines = files.map((file) => `${sha256(readFileSync(join(folder, file)))}  ${file}\n`);
  writeFileSync(join(folder, CHECKSUMS), lines.join(''));
  return [...files, CHECKSUMS];
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
