import { join } from 'node:path';
import { withFolder } from '../folder.mjs';
import { Buildah } from '../image/buildah.mjs';
import { officialBase } from '../image/base-image.mjs';
import { must } from '../must.mjs';
import { ROOT, inProject } from '../project.mjs';
import { findProgram } from '../services/programs.mjs';

/**
 * Finds the base image.
 *
 * @param base its name; by default the one in the Dockerfile
 * @returns its `name`, or in `missing` why there can be no image
 */
export async function findBase(base) {
  if (!findProgram('buildah')) {
    return { missing: 'Buildah is not installed (apt-get install buildah).' };
  }
  return withBuildah((buildah) => {
    const name = base ?? officialBase(buildah);
    if (!name) return { missing: 'No registry has the base image of docker/Dockerfile.' };
    const isThere = buildah.has(name) || buildah.pull(name);
    return isThere ? { name } : { missing: `There is no image ${name} (--base).` };
  });
}

/**
 * Writes the image of a release as an OCI layout in a tar file.
 *
 * @param base the base image, as returned by `findBase`
 */
export async function writeImage(folder, { version, date }, base) {
  await withBuildah((buildah, work) => {
    const seconds = Math.floor(date.getTime() / 1000);
    const image = `localhost/servicefido:${version}`;
    const dockerfile = inProject('docker/Dockerfile');
    buildah.build(image, { dockerfile, context: ROOT, base, timestamp: seconds });
    const layout = `servicefido-${version}.oci`;
    buildah.save(image, join(work, layout), version);
    must(
      'tar',
      ...['--create', '--sort=name', '--owner=0', '--group=0', '--numeric-owner'],
      ...[`--mtime=@${seconds}`, '--mode=u=rwX,go=rX', '--format=ustar'],
      ...['--file', join(folder, `${layout}.tar`), '--directory', work, layout],
    );
  });
}

const withBuildah = (action) => withFolder('image', (work) => action(new Buildah(work), work));
