#!/usr/bin/env node
/**
 * `node build.mjs [--watch]`: bundles each entry into one file of code and one file of types, which import no other
 * file. With `--watch` it rebuilds the code after each change.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateDtsBundle } from 'dts-bundle-generator';
import { context, stop } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Entries that pages load. Most pages need only the first. */
const ENTRIES = ['servicefido', 'keys'];

const code = await context({
  entryPoints: ENTRIES.map((name) => here(`src/${name}.ts`)),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  outdir: here('dist'),
  logLevel: 'warning',
});
if (process.argv.includes('--watch')) {
  // The child process of esbuild does not always end with this process.
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      stop();
      process.exit();
    });
  }
  await code.watch();
} else {
  await code.rebuild();
  await code.dispose();
  const files = ENTRIES.map((name) => ({
    filePath: here(`src/${name}.ts`),
    output: { noBanner: true },
  }));
  const types = generateDtsBundle(files, { preferredConfigPath: here('tsconfig.json') });
  ENTRIES.forEach((name, n) => writeFileSync(here(`dist/${name}.d.ts`), types[n]));
}
