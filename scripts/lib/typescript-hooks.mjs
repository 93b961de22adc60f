import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { ROOT } from './project.mjs';

/**
 * Module hooks of Node: TypeScript of the project runs as it stands, `./x.js` being `./x.ts`, and as in
 * the tests: .swcrc says how.
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
