import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packServer } from '../../scripts/lib/release/artifacts.mjs';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';

/** Npm fetches packages first, on a busy machine. */
const INSTALLED_MS = 400_000;

describe('npx with the packed program', () => {
  const root = mkdtempSync(join(tmpdir(), 'servicefido-npx-'));
  const bin = join(root, 'bin');
  const empty = join(root, 'empty');
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('npx starts the server with the demo in an empty folder, with no program but Node.js on PATH', async () => {
    mkdirSync(bin);
    mkdirSync(empty);
    symlinkSync(process.execPath, join(bin, 'node'));
    await packServer(root);
    const [archive = ''] = readdirSync(root).filter((name) => name.endsWith('.tgz'));

    const npx = findProgram('npx') ?? '';
    const start = (...args: string[]) =>
      spawn(process.execPath, [npx, '--yes', `../${archive}`, ...args], {
        cwd: empty,
        // The leader of a group, since npx ends on a signal without its child.
        detached: true,
        env: {
          HOME: process.env.HOME,
          PATH: bin,
          // Of a machine whose way to the registry has a certificate of its own.
          NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
          npm_config_script_shell: '/bin/sh',
          npm_config_prefer_offline: 'true',
        },
      });
    const child = start('--port', '0');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (output += part));
    const ended = once(child.stdout, 'close');
    try {
      const url = await eventually(() => {
        const [address] = /(?<=ready at )http:\/\/localhost:\d+/.exec(output) ?? [];
        if (address === undefined) throw new Error(output);
        return address;
      }, INSTALLED_MS);
      const client = new FidoClient(url);
      expect((await client.get('/demo')).status).toBe(200);
      expect((await client.register('alice')).body).toMatchObject({ status: 'ok' });
      expect((await client.signIn('alice')).body).toMatchObject({ username: 'alice' });
      const command = start('key', 'list', '--domain', 'shop.example');
      const complaint = await text(command.stderr);
      const add = 'relying-party add TENANT shop.example';
      expect(complaint).toContain(`Add it: npx ../${archive} ${add}`);
    } finally {
      process.kill(-Number(child.pid), 'SIGTERM');
      await ended;
    }
  });
});
