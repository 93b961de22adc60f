import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { ProjectCopy } from '../support/project-copy.js';
import { freePort } from '../support/server-process.js';

const README = readFileSync(projectPath('README.md'), 'utf8');
/** The files of a start, with results after sources, since a build compares their times. */
const FILES = [
  ...['package.json', 'package-lock.json', 'servicefido', 'scripts', 'build.mjs', 'tsconfig.json'],
  ...['.swcrc', '.npmrc', 'src', 'config', 'views', 'packages', 'dist'],
  ...['packages/browser/dist', 'packages/node/dist', 'packages/testing/dist'],
];

const [starting = '', installing = ''] = blocks('sh');
const [start = ''] = starting.split('\n');
const [serverSource = ''] = blocks('js');
const [serve = ''] = /(?<=^Run `)[^`]+/m.exec(README) ?? [];

describe.each(['20', '22', '24'])('README.md on Node.js %s', (major) => {
  let project: ProjectCopy;
  let ports: Record<'8080' | '3000', number>;
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    project = new ProjectCopy(FILES);
    project.linkPackages();
    mkdirSync(projectPath('.node'), { recursive: true });
    symlinkSync(projectPath('.node'), project.path('.node'), 'dir');
    ports = { 8080: await freePort(), 3000: await freePort() };
  });
  afterAll(async () => {
    for (const { pid } of running) process.kill(-Number(pid), 'SIGTERM');
    await Promise.all(running.map((child) => child.exitCode ?? once(child, 'exit')));
    project.remove();
  });

  it(`README.md's commands start a server, issue a key and run the application on Node.js ${major}`, async () => {
    const server = shell(start);
    running.push(server.child);
    await server.says('ServiceFido is ready');

    const install = shell(`${installing}\nnode --version; pwd; printf %s "$SERVICEFIDO_KEY"`);
    const [printed, [code]] = await Promise.all([
      text(install.child.stdout),
      once(install.child, 'exit'),
    ]);
    const [version = '', shop = '', key = ''] = printed.trim().split('\n').slice(-3);
    expect({ code, version, key }).toEqual({
      code: 0,
      version: expect.stringMatching(`^v${major}\\.`),
      key: expect.stringMatching(/^sfk_[\w-]{20,}$/),
    });

    // Other ports than those of README.md, which other programs may use.
    const source = serverSource.replaceAll(/8080|3000/g, (port) => `${ports[port as '3000']}`);
    writeFileSync(`${shop}/server.js`, source);
    const application = shell(`cd ${shop}; SERVICEFIDO_KEY=${key} ${serve}`);
    running.push(application.child);
    await application.says(`http://localhost:${ports[3000]}`);

    const post = (path: string, body: object, cookie = '') =>
      fetch(`http://localhost:${ports[3000]}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      });
    const signedUp = await post('/signup', { username: 'alice' });
    expect(signedUp.status).toBe(204);
    const [cookie = ''] = (signedUp.headers.get('set-cookie') ?? '').split(';');
    const begun = await post('/fidoapi/register/begin', {}, cookie);
    expect(await begun.json()).toMatchObject({ status: 'ok', user: { name: 'alice' } });
  });

  /** Runs commands in a shell whose PATH begins with this Node.js, as the leader of a group. */
  function shell(commands: string) {
    const args = [projectPath('scripts/with-node.mjs'), major, 'sh', '-ec', commands];
    const child = spawn(process.execPath, args, {
      cwd: project.root,
      detached: true,
      env: {
        ...process.env,
        SERVICEFIDO_PORT: `${ports[8080]}`,
        npm_config_prefer_offline: 'true',
      },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => (output += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (output += more));
    const says = (words: string) => eventually(() => expect(output).toContain(words));
    return { child, says };
  }
});

/** The commands and files of README.md, as printed. */
function blocks(language: string) {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
}
