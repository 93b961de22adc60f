import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packServer } from '../../scripts/lib/release/artifacts.mjs';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';

const STARTED_MS = 120_000;

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
    const args = [npx, '--yes', `../${archive}`, '--port', '0'];
    const child = spawn(process.execPath, args, {
      cwd: empty,
      // The leader of a group, since npx ends on a signal without its child.
      detached: true,
      env: {
        HOME: process.env.HOME,
        PATH: bin,
        npm_config_script_shell: '/bin/sh',
        npm_config_prefer_offline: 'true',
      },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = once(child.stdout, 'close');
    try {
      const url = await eventually(() => {
        const [address] = /(?<=ready at )http:\/\/localhost:\d+/.exec(output) ?? [];
        if (address === undefined) throw new Error(output);
        return address;
      }, STARTED_MS);
      const client = new FidoClient(url);
      expect((await client.get('/demo')).status).toBe(200);
      expect((await client.register('alice')).body).toMatchObject({ status: 'ok' });
      expect((await client.signIn('alice')).body).toMatchObject({ username: 'alice' });
    } finally {
      process.kill(-Number(child.pid), 'SIGTERM');
      await ended;
    }
  }, 180_000);
});
