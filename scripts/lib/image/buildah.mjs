import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../must.mjs';

const MEGABYTES = { kB: 0.001, MB: 1, GB: 1000 };

const succeeds = (...args) => spawnSync('buildah', args, { stdio: 'ignore' }).status === 0;

/** The commands of Buildah that a build and a start need. */
export class Buildah {
  #policy;

  /** @param folder for a file of its own on whose signatures count: not every installation has one */
  constructor(folder) {
    const file = join(folder, 'policy.json');
    writeFileSync(file, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
    this.#policy = ['--signature-policy', file];
  }

  has(image) {
    return succeeds('inspect', '--type', 'image', image);
  }

  /** @returns whether a registry had the image */
  pull(image) {
    return succeeds('pull', '--quiet', ...this.#policy, image);
  }

  /**
   * Makes an image of one layer.
   *
   * @param root folder with the root file system
   * @param env `NAME=value`, each
   */
  commitRoot(image, root, env) {
    const container = must('buildah', 'from', 'scratch');
    must('buildah', 'add', '--quiet', container, root, '/');
    for (const pair of env) must('buildah', 'config', '--env', pair, container);
    must('buildah', 'commit', '--quiet', ...this.#policy, container, image);
    must('buildah', 'rm', container);
  }

  /**
   * @param context the folder of which the Dockerfile copies files
   * @param timestamp seconds since 1970, which all files of the image then have; earlier layers are not used again
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

  /** The size of all layers, as Buildah rounds it. */
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
