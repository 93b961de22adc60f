/**
 * `node build.mjs`: compiles each module of `src` into `dist`, then bundles `dist/server.js` with the packages that
 * it uses: most of a start is reading files, and without the bundle there are 3,500. `dist/main.js` stays a module,
 * which checks the version of Node.js first. Scripts and tests import the modules beside it. Types are checked by `npm run typecheck`.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { transformFile } from '@swc/core';
import { build } from 'esbuild';
import { OUTSIDE } from './scripts/lib/outside.mjs';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const SOURCES = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
/** The program as modules, for profilers. */
const UNBUNDLED = join(DIST, 'unbundled.js');

/** The files of packages that pages load. */
const LOADED = [
  '@picocss/pico/css/pico.min.css',
  'uplot/dist/uPlot.min.css',
  'uplot/dist/uPlot.iife.min.js',
];
/** The first line of a class, as swc writes it: a comment may stand before it. */
const CLASS = /(?:^|\*\/ )(?:export )?(?:let \w+ = )?class (\w+)\b.*\{$/gm;
/** Each UTF-16 unit beyond ASCII. */
const NOT_ASCII = /[^\0-\x7f]/g;

/** Packages that libraries can use and that are not installed stay imports, which fail only when they run. */
const notInstalled = {
  name: 'not-installed',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === notInstalled) return undefined;
      const { errors } = await resolve(path, { ...from, pluginData: notInstalled });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/** `@nestjs/typeorm` asks a second, unbundled copy of TypeORM for two classes that its version 1 does not have. */
const oneTypeorm = {
  name: 'one-typeorm',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]typeorm-compat\.js$/ }, () => ({
      contents: 'export const Connection = undefined; export const AbstractRepository = undefined;',
    }));
  },
};

/** Node.js warns about `new Buffer` outside `node_modules`, on the operator's screen. */
const noOldBuffer = {
  name: 'no-old-buffer',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]passport-http[\\/].*basic\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('new Buffer(', 'Buffer.from('),
    }));
  },
};

/** Nest logs by the names of its classes, and our log is silent about some of them. */
const namedNest = {
  name: 'named-nest',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@nestjs[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(CLASS, withName),
    }));
  },
};

rmSync(DIST, { recursive: true, force: true });
await compile();
await bundle();
compress();

async function compile() {
  const files = readdirSync(SOURCES, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join(SOURCES, file));
  for (const file of files) {
    const { code } = await transformFile(file, { cwd: ROOT, sourceMaps: false });
    const to = join(DIST, relative(SOURCES, file).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, code.replaceAll(CLASS, withName));
  }
  renameSync(join(DIST, 'server.js'), UNBUNDLED);
}

/**
 * Nest, TypeORM and the OpenAPI document use the names of classes, and a bundle renames a class whose name exists
 * twice. `keepNames` of esbuild would name each function whenever it is made, which costs 8 to 14 % of a login.
 */
function withName(line, name) {
  return `${line} static { Object.defineProperty(this, 'name', { value: '${name}', configurable: true }); }`;
}

async function bundle() {
  await build({
    entryPoints: { server: UNBUNDLED },
    outdir: DIST,
    // As deep as the modules, so that `platform/project.ts` finds the root from either.
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.14',
    external: OUTSIDE,
    plugins: [notInstalled, oneTypeorm, noOldBuffer, namedNest],
    banner: {
      // Packages of CommonJS call `require` for modules of Node.js.
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  });
  for (const name of [
    'server.js',
    ...readdirSync(join(DIST, 'chunks')).map((chunk) => `chunks/${chunk}`),
  ]) {
    const file = join(DIST, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(NOT_ASCII, escape));
  }
}

/**
 * V8 keeps a source with one character beyond ASCII as UTF-16, in twice its bytes. esbuild leaves such characters in
 * comments and regular expressions, where an escape means the same.
 */
function escape(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Writes what pages load as Brotli, each file under the SHA-256 of its content, so that the server never sends an
 * older one (`src/platform/http/compression.ts`).
 */
function compress() {
  const { resolve } = createRequire(import.meta.url);
  const folder = join(DIST, 'brotli');
  mkdirSync(folder);
  const own = readdirSync(join(ROOT, 'views/public'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const file of [...own, ...LOADED.map((name) => resolve(name))]) {
    const content = readFileSync(file);
    const hash = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(folder, `${hash}.br`), brotliCompressSync(content));
  }
}
