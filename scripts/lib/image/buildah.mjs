import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../project.mjs';

/** A build prints megabytes. */
const MAX_OUTPUT = 1e9;
/** The end of a failed command's output, where its reason is. */
const SHOWN_LINES = 15;
const MEGABYTES = { kB: 0.001, MB: 1, GB: 1000 };

const start = (program, args) =>
  spawnSync(program, args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT });

/** Runs a program to its end and returns what it printed. Refuses when it fails. */
export function must(program, ...args) {
  const { error, status, stdout, stderr } = start(program, args);
  if (error) throw new Refusal(`${program} could not be started: ${error.message}`);
  if (status === 0) return stdout.trim();
  const end = `${stdout}${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new Refusal(`${program} ${args[0]} failed:\n${end}`);
}

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
    return start('buildah', ['inspect', '--type', 'image', image]).status === 0;
  }

  /** @returns whether a registry had the image */
  pull(image) {
    return start('buildah', ['pull', '--quiet', ...this.#policy, image]).status === 0;
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
