import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { ROOT } from './project.mjs';

/**
 * Module hooks of Node that run the project's TypeScript directly, resolving `./x.js` to `./x.ts`, with
 * the settings of .swcrc as in the tests.
 */

export async function resolve(specifier, context, next) {
  const ofProject = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  return next(ofProject ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    cwd: ROOT,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
