import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../folder.mjs';
import { Buildah } from '../image/buildah.mjs';
import { must } from '../must.mjs';
import { ROOT, inProject } from '../project.mjs';
import { findProgram } from '../services/programs.mjs';

const DOCKERFILE = inProject('docker/Dockerfile');

/**
 * Finds the base image, here or at a registry.
 *
 * @param base its name; by default the one in the Dockerfile
 * @returns its `name`, or in `missing` why there can be no image
 */
export async function findBase(base = baseOfDockerfile()) {
  if (!findProgram('buildah')) {
    return { missing: 'Buildah is not installed (apt-get install buildah).' };
  }
  return withBuildah((buildah) =>
    buildah.pull(base) ? { name: base } : { missing: `There is no image ${base} (--base).` },
  );
}

function baseOfDockerfile() {
  const [, name] = /^ARG NODE_IMAGE=(\S+)/m.exec(readFileSync(DOCKERFILE, 'utf8'));
  return `docker.io/library/${name}`;
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
    buildah.build(image, { dockerfile: DOCKERFILE, context: ROOT, base, timestamp: seconds });
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
