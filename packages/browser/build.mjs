#!/usr/bin/env node
/**
 * `node build.mjs [--watch]`: one file of code and one of types, which stand alone wherever they are
 * served. Watching, it makes the code anew after each change.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateDtsBundle } from 'dts-bundle-generator';
import { context } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const entry = here('src/servicefido.ts');

const code = await context({
  entryPoints: [entry],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  outfile: here('dist/servicefido.js'),
  logLevel: 'warning',
});
if (process.argv.includes('--watch')) {
  await code.watch();
} else {
  await code.rebuild();
  await code.dispose();
  const [types] = generateDtsBundle([{ filePath: entry, output: { noBanner: true } }], {
    preferredConfigPath: here('tsconfig.json'),
  });
  writeFileSync(here('dist/servicefido.d.ts'), types);
}
