#!/usr/bin/env node
/**
 * `npm run release -- [--dry-run] [--output FOLDER] [--base IMAGE]`: makes all artifacts of a release from the
 * current commit: the npm packages, the OCI image, the bill of materials, the notes and the checksums. The same
 * commit gives the same bytes. Without `--dry-run` it also tags the commit. It publishes nothing: finally it prints
 * the remaining steps. `--base` replaces the base image, for machines without access to a registry.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensurePackages } from './lib/packages.mjs';
import { Refusal, ROOT, say } from './lib/project.mjs';
import {
  buildAfresh,
  packClients,
  packServer,
  requireKeptApi,
  writeChecksums,
} from './lib/release/artifacts.mjs';
import { findBase, writeImage } from './lib/release/oci-image.mjs';
import { Release } from './lib/release/release.mjs';
import { billOfMaterials } from './lib/release/sbom.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      output: { type: 'string', default: join(ROOT, 'release') },
      base: { type: 'string' },
    },
  });
  const isDryRun = values['dry-run'];
  const release = new Release();
  if (!isDryRun) release.requireTagger();
  const base = await findBase(values.base);
  if (base.missing && !isDryRun) throw new Refusal(base.missing);
  ensurePackages();
  buildAfresh();
  requireKeptApi(release.version);
  const folder = resolve(values.output);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await packServer(folder);
  packClients(folder);
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(release.date));
  writeFileSync(join(folder, 'release-notes.md'), `${release.notes}\n`);
  if (base.name) await writeImage(folder, release, base.name);
  const files = writeChecksums(folder);
  if (!isDryRun) release.tag();
  say(`${folder}: ${files.join(', ')}`);
  if (base.missing) say(`NO IMAGE: ${base.missing}`);
  if (isDryRun) say(`dry run: ${release.tagName} was not made`);
  else console.log(release.publishingSteps(folder));
});
