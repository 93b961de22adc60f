#!/usr/bin/env node
/** `npm run standard`: writes the tables of docs/standard.md, from the titles of the tests. */
import { writeFileSync } from 'node:fs';
import { ensurePackages } from './lib/packages.mjs';
import { inProject } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  ensurePackages();
  await import('./lib/register-typescript.mjs');
  const { standardPage } = await import('../test/support/conformance/standard-page.ts');
  writeFileSync(inProject('docs/standard.md'), await standardPage());
});
