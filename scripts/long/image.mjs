/**
 * `npm run long -- image [BASE]`: builds docker/Dockerfile with Buildah and starts the image with a read-only root,
 * without capabilities and as its own user. A user registers and signs in, the console prompts for a password, and the
 * server ends on SIGTERM. Needs Linux, root and Buildah. BASE replaces the base image of the Dockerfile. Prints one
 * line; exit code 1 on a fault, or if our own layers exceed 150 MB.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../../bench/client/connection.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { withFolder } from '../lib/folder.mjs';
import { Admin } from '../lib/load/admin.mjs';
import { Buildah } from '../lib/image/buildah.mjs';
import { LockedContainer } from '../lib/image/locked-container.mjs';
import { Refusal, ROOT, inProject, say } from '../lib/project.mjs';
import { findBase } from '../lib/release/oci-image.mjs';
import { run } from '../lib/run.mjs';
import { freePort } from '../lib/services/programs.mjs';

const IMAGE = 'localhost/servicefido';
const MAX_MEGABYTES = 150;
const PASSWORD = 'a password of the image';
const PATHS = [
  '/health/ready',
  '/assets/pico/pico.min.css',
  '/sdk/servicefido.js',
  '/userapi/audit',
];
const FOLDERS = ['bin', 'sbin', 'usr/bin', 'usr/local/bin'];
const PACKAGE_MANAGERS = ['npm', 'npx', 'corepack', 'yarn', 'yarnpkg', 'pnpm'];

await run(async () => {
  if (process.platform !== 'linux') throw new Refusal('image needs Linux.');
  if (process.getuid() !== 0) throw new Refusal('image needs root: it makes mounts.');
  const { name: base, missing } = await findBase(process.argv[2]);
  if (missing) throw new Refusal(missing);
  await withFolder('image', (folder) => tryImage(new Buildah(folder), base, folder));
});

async function tryImage(buildah, base, folder) {
  const dockerfile = inProject('docker/Dockerfile');
  buildah.build(IMAGE, { dockerfile, context: ROOT, base });
  const own = buildah.megabytes(IMAGE) - buildah.megabytes(base);
  const container = buildah.container(IMAGE);
  try {
    const managers = packageManagers(container.root);
    await useServer(container, folder);
    const faults = [
      own > MAX_MEGABYTES && `${own.toFixed(0)} MB of our own instead of ${MAX_MEGABYTES}`,
      managers.length > 0 && `it contains ${managers.join(', ')}`,
    ].filter(Boolean);
    if (faults.length > 0) throw new Refusal(`image: ${faults.join('; ')}`);
    const size = `${own.toFixed(0)} MB on ${base}`;
    const what = `read-only root, user ${container.config.User}, no package manager`;
    say(`image: ${size}; ${what}; registered, signed in, ended`);
  } finally {
    buildah.remove(container);
  }
}

function packageManagers(root) {
  const paths = FOLDERS.flatMap((folder) => PACKAGE_MANAGERS.map((name) => join(folder, name)));
  return paths.filter((path) => existsSync(join(root, path)));
}

async function useServer(container, folder) {
  const port = await freePort();
  const env = [`SERVICEFIDO_PORT=${port}`, `SERVICEFIDO_ADMIN_PASSWORD=${PASSWORD}`];
  const server = new LockedContainer(join(folder, 'output.log'));
  try {
    await server.start(container, env);
    const admin = new Admin({ url: `http://127.0.0.1:${port}` }, PASSWORD);
    for (const path of PATHS) await admin.text(path, { headers: { accept: 'application/json' } });
    await Connection.during(port, async (connection) => {
      const visitor = new Visitor('erin');
      await visitor.register(connection);
      await visitor.authenticate(connection);
    });
    const code = await server.end();
    if (code !== 0) throw new Refusal(`image: it ended with ${code} on SIGTERM`);
  } finally {
    if (server.running) server.signal('SIGKILL');
  }
}
