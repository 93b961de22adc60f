import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { ROOT } from './project.mjs';

/** Runs the project's TypeScript directly: `./x.js` is `./x.ts`, with the settings of .swcrc as in the tests. */
registerHooks({
  resolve(specifier, context, next) {
    const ofProject = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
    return next(ofProject ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), { filename, cwd: ROOT });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
