import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withFolder } from '../folder.mjs';
import { must } from '../must.mjs';
import { nodeOf } from '../node-version.mjs';
import { Refusal, inProject, say } from '../project.mjs';
import { findProgram } from '../services/programs.mjs';

const STAND_IN = 'localhost/servicefido-stand-in';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** The base image of the Dockerfile, or undefined if no registry has it. */
export function officialBase(buildah) {
  const name = `docker.io/library/${dockerfileBase()}`;
  return buildah.has(name) || buildah.pull(name) ? name : undefined;
}

const dockerfileBase = () =>
  /^ARG NODE_IMAGE=(\S+)/m.exec(readFileSync(inProject('docker/Dockerfile'), 'utf8'))[1];

/**
 * Returns the base image of the Dockerfile. If no registry has it, creates a replacement from a minimal Debian
 * and Node.js from npm.
 *
 * @param mirror of Debian, for debootstrap
 * @returns its name, and whether it replaces the official one
 */
export async function baseImage(buildah, mirror) {
  const official = dockerfileBase();
  const [, major, debian] = /^node:(\d+)-(\w+)/.exec(official);
  const name = officialBase(buildah);
  if (name) return { name, standsIn: false };
  const standIn = `${STAND_IN}:${major}-${debian}`;
  if (!buildah.has(standIn)) {
    say(`no registry has ${official}: debootstrap and npm make a stand-in`);
    if (!findProgram('debootstrap')) {
      throw new Refusal('debootstrap is not installed (apt-get install debootstrap).');
    }
    await makeStandIn(buildah, { image: standIn, major, debian, mirror });
  }
  return { name: standIn, standsIn: true };
}

function makeStandIn(buildah, { image, major, debian, mirror }) {
  return withFolder('base', (root) => {
    must('debootstrap', '--variant=minbase', debian, root, ...(mirror ? [mirror] : []));
    const prefix = join(root, 'usr/local');
    copyFileSync(nodeOf(major), join(prefix, 'bin/node'));
    must('npm', 'install', '--global', '--silent', '--prefix', prefix, 'npm');
    must('chroot', root, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node');
    buildah.commitRoot(image, root, networkOf(root));
  });
}

/** Makes npm in the image use the registry and the certificates that npm uses here. */
function networkOf(root) {
  const registry = `npm_config_registry=${must('npm', 'config', 'get', 'registry')}`;
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  if (!certificates || !existsSync(certificates)) return [registry];
  mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
  copyFileSync(certificates, join(root, CERTIFICATES));
  return [registry, `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`];
}
