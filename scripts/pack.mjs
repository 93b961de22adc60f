#!/usr/bin/env node
/** `npm run pack`: builds the program and packs it into `packed`, as a release does. */
import { mkdirSync } from 'node:fs';
import { ensureBuild } from './lib/build.mjs';
import { inProject } from './lib/project.mjs';
import { packServer } from './lib/release/artifacts.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  ensureBuild();
  const folder = inProject('packed');
  mkdirSync(folder, { recursive: true });
  await packServer(folder);
});
