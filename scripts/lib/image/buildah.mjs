import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../must.mjs';

const MEGABYTES = { kB: 0.001, MB: 1, GB: 1000 };

/** The Buildah commands for a build and a start. */
export class Buildah {
  #policy;

  /** @param folder for a file with the signature policy, which not every installation has */
  constructor(folder) {
    const file = join(folder, 'policy.json');
    writeFileSync(file, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
    this.#policy = ['--signature-policy', file];
  }

  /** @returns whether the image is here, or a registry had it */
  pull(image) {
    const pull = ['pull', '--quiet', '--policy', 'missing', ...this.#policy, image];
    return spawnSync('buildah', pull, { stdio: 'ignore' }).status === 0;
  }

  /**
   * @param context the folder from which the Dockerfile copies files
   * @param timestamp seconds since 1970, for all files of the image; earlier layers are not reused
   */
  build(image, { dockerfile, context, base, timestamp }) {
    const layers =
      timestamp === undefined ? ['--layers'] : ['--no-cache', `--timestamp=${timestamp}`];
    const how = [...layers, '--isolation', 'chroot', '--network', 'host', ...this.#policy];
    const what = ['--build-arg', `NODE_IMAGE=${base}`, '--file', dockerfile, '--tag', image];
    must('buildah', 'bud', ...how, ...what, context);
  }

  /** Writes an image as an OCI layout. @param folder that does not exist yet */
  save(image, folder, tag) {
    must('buildah', 'push', '--quiet', ...this.#policy, image, `oci:${folder}:${tag}`);
  }

  /** The size of all layers, as rounded by Buildah. */
  megabytes(image) {
    const text = must('buildah', 'images', '--format', '{{.Size}}', image);
    const [size, unit] = text.split(/\s+/);
    return Number(size) * MEGABYTES[unit];
  }

  /** @returns the name of a new container, the folder of its root, and the configuration of the image */
  container(image) {
    const name = must('buildah', 'from', ...this.#policy, image);
    const { OCIv1 } = JSON.parse(must('buildah', 'inspect', '--type', 'container', name));
    return { name, root: must('buildah', 'mount', name), config: OCIv1.config };
  }

  remove({ name }) {
    must('buildah', 'rm', name);
  }
}
