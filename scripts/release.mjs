#!/usr/bin/env node
/**
 * `npm run release -- [--dry-run] [--output FOLDER] [--base IMAGE]`: makes everything that a release consists of from
 * the current commit: the npm packages, the OCI image, the bill of materials, the notes and the checksums. The same
 * commit gives the same bytes, except for the image. Without `--dry-run` it also tags the commit. It publishes nothing: at the end it says
 * how. `--base` replaces the base image, for machines that no registry reaches.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensurePackages } from './lib/packages.mjs';
import { ROOT, say } from './lib/project.mjs';
import {
  buildAfresh,
  packClients,
  packServer,
  requireKeptApi,
  writeChecksums,
} from './lib/release/artifacts.mjs';
import { writeImage } from './lib/release/oci-image.mjs';
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
  const release = Release.ofCommit();
  const folder = resolve(values.output);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  ensurePackages();
  buildAfresh();
  requireKeptApi(release.version);
  packServer(folder);
  packClients(folder);
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(release.date));
  writeFileSync(join(folder, 'release-notes.md'), `${release.notes}\n`);
  const noImage = writeImage(folder, release, values.base);
  if (noImage && !isDryRun) throw noImage;
  const files = writeChecksums(folder);
  if (!isDryRun) release.tag();
  say(`${folder}: ${files.join(', ')}`);
  if (noImage) say(`NO IMAGE: ${noImage.message}`);
  if (isDryRun) say(`dry run: ${release.tagName} was not made`);
  else console.log(release.publishingSteps(folder));
});
