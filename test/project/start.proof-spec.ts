import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { ServerProcess } from '../support/server-process.js';

describe('npm start', () => {
  const data = mkdtempSync(join(tmpdir(), 'servicefido-start-'));
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it('npm start prints no module or route list of Nest and leaves no server behind', async () => {
    const options = ['--port', '0', '--data', data];
    const npm = spawn('npm', ['start', '--', ...options], { cwd: projectPath('') });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await eventually(() => expect(output).toContain('ServiceFido is ready'));
    // The server writes to the pipe, too: it closes when both have ended.
    const ended = once(npm.stdout, 'close');
    npm.kill('SIGTERM');
    await ended;
    expect(output).not.toMatch(/InstanceLoader|RoutesResolver|RouterExplorer|NestFactory/);
  });
});

describe('dist/server.js', () => {
  const server = new ServerProcess();
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  it('the bundle keeps class names and routes', async () => {
    const written = readFileSync(projectPath('dist/openapi.json'), 'utf8');
    const served = await fetch(`${server.url}/docs/openapi.json`);
    expect(await served.json()).toEqual(JSON.parse(written));
  });

  it('the bundle is ASCII, so that V8 stores its sources in one byte a character', () => {
    expect(filesOfBundle().filter((file) => /[^\0-\x7f]/.test(file))).toEqual([]);
  });

  it('the bundle does not load TypeORM a second time from its package', () => {
    expect(filesOfBundle().filter((file) => /require\w*\(["']typeorm["']\)/.test(file))).toEqual(
      [],
    );
  });
});

function filesOfBundle(): string[] {
  const folder = projectPath('dist/chunks');
  const names = ['../server.js', ...readdirSync(folder)];
  return names.map((name) => readFileSync(join(folder, name), 'latin1'));
}
