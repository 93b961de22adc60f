import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectPath } from '../../src/platform/project.js';
import { ServerProcess } from '../support/server-process.js';

const PRELOADED = projectPath('test/support/loaded-files.mjs');
const ISSUER = 'https://fido.example.com';

/** A path of each door, which its code contains, and an address below it. */
const DOORS = [
  ['scim/v2/:tenant/:domain', '/scim/v2/default/localhost/Users'],
  ['oidc/:domain', '/oidc/localhost/jwks'],
  ['entra/:domain', '/entra/localhost/jwks'],
  ['console/oidc/callback', '/console/oidc'],
] as const;

describe('a server whose doors are off', () => {
  /** The doors whose code a server loads, and the statuses of addresses below them. */
  async function doorsOf(...options: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    const list = join(folder, 'loaded');
    const server = new ServerProcess(options, {
      NODE_OPTIONS: `--import=${PRELOADED}`,
      LOADED_FILES: list,
    });
    try {
      await server.start();
      const statuses = await Promise.all(
        DOORS.map(async ([, address]) => (await fetch(server.url + address)).status),
      );
      const files = readFileSync(list, 'utf8').split('\n');
      const texts = files
        .filter((file) => file.startsWith('file:') && file.includes('/dist/'))
        .map((file) => readFileSync(fileURLToPath(file), 'utf8'));
      const loaded = DOORS.map(([path]) => texts.some((text) => text.includes(path)));
      return { loaded, statuses };
    } finally {
      await server.remove();
      rmSync(folder, { recursive: true });
    }
  }

  it('loads no code of them, and opens no route', async () => {
    const off = await doorsOf();
    expect(off).toEqual({ loaded: DOORS.map(() => false), statuses: DOORS.map(() => 404) });
    const on = await doorsOf('--scim', 'on', '--oidc', 'on', '--entra', 'on', '--issuer', ISSUER);
    expect(on.loaded).toEqual([true, true, true, false]);
  });
});
