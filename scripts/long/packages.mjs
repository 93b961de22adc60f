/**
 * `npm run long -- packages`: packs the published packages, installs them into an empty project, compiles
 * a program against them with each way in which TypeScript resolves modules, and loads them, including from
 * CommonJS. Prints one line; exit code 1 if any of this fails.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../lib/folder.mjs';
import { must, mustIn } from '../lib/must.mjs';
import { ensurePackages } from '../lib/packages.mjs';
import { inProject, readJson, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

/** `moduleResolution`, and its matching `module`. */
const WAYS = { node16: 'node16', nodenext: 'nodenext', bundler: 'preserve' };
/** Other packages of the project, in the versions of this one. */
const OTHERS = [
  '@nestjs/common',
  '@types/express',
  '@types/node',
  'express',
  'reflect-metadata',
  'rxjs',
];

/** `.npmrc` prevents npm from running scripts; here each package's `prepack` builds it. */
const PACK = ['--ignore-scripts=false', '--json', '--silent'];

await run(async () => {
  ensurePackages();
  await withFolder('consumer', (folder) => {
    const packed = Object.values(
      JSON.parse(must('npm', 'pack', '--workspaces', ...PACK, '--pack-destination', folder)),
    );
    prepare(
      folder,
      packed.map(({ filename }) => `./${filename}`),
    );
    for (const way of Object.keys(WAYS)) compile(folder, way);
    load(folder);
    const sizes = packed.map(({ name, size }) => `${name} ${(size / 1000).toFixed(1)} kB`);
    const ways = Object.keys(WAYS).join(', ');
    say(`packages: ${sizes.join(', ')}; compiled under ${ways}, and loaded`);
  });
});

function prepare(folder, files) {
  const { packages } = readJson('package-lock.json');
  const others = OTHERS.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  mustIn(folder, 'npm', 'install', '--silent', '--no-audit', '--no-fund', ...files, ...others);
  copyFileSync(inProject('scripts/lib/consumer.ts'), join(folder, 'consumer.ts'));
}

function compile(folder, way) {
  const options = ['--module', WAYS[way], '--moduleResolution', way, '--lib', 'ES2023,DOM'];
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
  const others = ['--target', 'ES2022', '--types', 'node', '--noEmit', '--experimentalDecorators'];
  const tsc = inProject('node_modules/typescript/bin/tsc');
  mustIn(folder, process.execPath, tsc, ...options, ...strict, ...others, 'consumer.ts');
}

/** Loads it as an ES module and with `require()`. */
function load(folder) {
  const names = ['@servicefido/node', '@servicefido/node/express', '@servicefido/node/nest'];
  for (const name of names) {
    mustIn(folder, process.execPath, '--input-type=module', '-e', `await import('${name}')`);
    mustIn(folder, process.execPath, '--input-type=commonjs', '-e', `require('${name}')`);
  }
}
