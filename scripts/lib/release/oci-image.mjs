import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Buildah, must } from '../image/buildah.mjs';
import { officialBase } from '../image/base-image.mjs';
import { Refusal, ROOT, inProject } from '../project.mjs';
import { findProgram } from '../services/programs.mjs';

/**
 * Writes the image of a release as an OCI layout in a tar file.
 *
 * @param base the image to begin with; without it, the one that the Dockerfile names
 * @returns why there is no image, or undefined
 */
export function writeImage(folder, { version, date }, base) {
  if (!findProgram('buildah')) {
    return new Refusal('Buildah is not installed (apt-get install buildah).');
  }
  const work = mkdtempSync(join(tmpdir(), 'servicefido-image-'));
  try {
    const buildah = new Buildah(work);
    const from = base ?? officialBase(buildah);
    if (!from) return new Refusal('No registry has the base image of docker/Dockerfile.');
    const seconds = Math.floor(date.getTime() / 1000);
    const image = `localhost/servicefido:${version}`;
    const dockerfile = inProject('docker/Dockerfile');
    buildah.build(image, { dockerfile, context: ROOT, base: from, timestamp: seconds });
    const layout = `servicefido-${version}.oci`;
    buildah.save(image, join(work, layout), version);
    must(
      'tar',
      ...['--create', '--sort=name', '--owner=0', '--group=0', '--numeric-owner'],
      ...[`--mtime=@${seconds}`, '--mode=u=rwX,go=rX', '--format=ustar'],
      ...['--file', join(folder, `${layout}.tar`), '--directory', work, layout],
    );
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
