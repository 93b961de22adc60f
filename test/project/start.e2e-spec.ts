import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '../../src/config/project.js';
import { eventually } from '../support/eventually.js';

const STARTED_MS = 120_000;

describe('npm start', () => {
  const data = mkdtempSync(join(tmpdir(), 'servicefido-start-'));
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it('leaves no server behind when only npm is told to end', async () => {
    const options = ['--port', '0', '--data', data];
    const npm = spawn('npm', ['start', '--', ...options], { cwd: projectPath('') });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await eventually(() => expect(output).toContain('ServiceFido is ready'), STARTED_MS);
    // The server writes to the pipe, too: it closes when both have ended.
    const ended = once(npm.stdout, 'close');
    npm.kill('SIGTERM');
    await ended;
  }, 180_000);
});
