import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { OUTSIDE } from '../../scripts/lib/outside.mjs';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { buildContext } from '../support/image/build-context.js';
import { copiesOf, environmentOf, stages, textsOf } from '../support/image/dockerfile.js';
import { Image } from '../support/image/image.js';
import { freePort } from '../support/server-process.js';
import { ADMIN } from '../support/test-server.js';

const [head = [], build = [], image = []] = stages();

/** A package that the program loads at run time, where the bundle does not see it; not a part of Node.js. */
const LOADS = /\b(?:require|packageDirectory)\('(?!node:)([^']+)'\)/g;

/** Packages that could be bundled but find their own files by their path. */
const EXTERNAL = ['better-sqlite3', 'pino'];

function loadedPackages(): string[] {
  const files = readdirSync(projectPath('src'), { recursive: true }).map(String);
  return files
    .filter((file) => /(?<!\.spec)\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(projectPath(`src/${file}`), 'utf8').matchAll(LOADS)])
    .map(([, name = '']) => name);
}

describe('the Dockerfile', () => {
  it('the Dockerfile copies only files that .dockerignore leaves in the build context', () => {
    const context = buildContext();
    const copied = [...copiesOf(build), ...copiesOf(image)]
      .filter(({ from }) => from === undefined)
      .flatMap(({ sources }) => sources);
    const present = (path: string) =>
      context.some((file) => file === path || file.startsWith(`${path}/`));
    expect(copied.filter((path) => !present(path))).toEqual([]);
  });

  it('the Dockerfile copies the manifest of every workspace before npm ci', () => {
    const lines = build.map(({ name, text }) => `${name} ${text}`);
    const installs = lines.findIndex((line) => line.startsWith('RUN npm ci'));
    const { packages } = JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')) as {
      packages: Record<string, { link?: boolean; resolved?: string }>;
    };
    const workspaces = Object.values(packages).flatMap(({ link, resolved }) =>
      link ? [resolved] : [],
    );
    expect(workspaces).toEqual(['packages/browser', 'packages/node', 'packages/testing']);
    const manifests = workspaces.map((folder) => `COPY ${folder}/package.json ${folder}/`);
    expect(lines.slice(0, installs)).toEqual(expect.arrayContaining(manifests));
  });

  it('the build context contains no secrets, data or tests', () => {
    const allowed =
      /^(?:src|views|docker|config)\/|^packages\/[a-z]+\/(?:src\/|build|package|tsconfig)|^(?:build|package|tsconfig|\.npmrc|\.swcrc|LICENSE|NOTICE|servicefido$|scripts\/lib\/outside\.mjs)/;
    expect(
      buildContext().filter((path) => !allowed.test(path) || /\.env|\.spec\./.test(path)),
    ).toEqual([]);
  });

  it('the Dockerfile names its base image by digest and an unprivileged user', () => {
    const digests = textsOf(head, 'ARG').concat(textsOf(build, 'FROM'), textsOf(image, 'FROM'));
    expect(digests).toEqual([
      expect.stringMatching(/^NODE_IMAGE=node:24-[a-z-]+@sha256:[0-9a-f]{64}$/),
      '${NODE_IMAGE} AS build',
      '${NODE_IMAGE}',
    ]);
    // Kubernetes does not start a name: it could be that of root.
    expect(textsOf(image, 'USER')).toEqual(['1000:1000']);
  });

  it('the image installs only the packages that the program loads at run time', () => {
    expect([...EXTERNAL, ...loadedPackages()].sort()).toEqual([...OUTSIDE].sort());
  });

  it.each(['compose.yaml', 'compose.cluster.yaml'])(
    '%s gives the server a read-only root',
    (file) => {
      const { services } = parse(readFileSync(projectPath(`docker/${file}`), 'utf8'), {
        merge: true,
      }) as { services: Record<string, Record<string, unknown>> };
      const servers = Object.entries(services).filter(([name]) => name.startsWith('server'));
      expect(servers.length).toBeGreaterThan(0);
      for (const [, server] of servers) {
        expect(server).toMatchObject({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        });
      }
    },
  );
});

describe('the image', () => {
  const data = mkdtempSync(join(tmpdir(), 'servicefido-data-'));
  let made: Image;
  const children: ChildProcess[] = [];
  beforeAll(async () => (made = await Image.make()));
  afterAll(async () => {
    await Promise.all(children.map(end));
    made.remove();
    rmSync(data, { recursive: true });
  });

  const end = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  };

  /** A command of the image; `node` is this Node, and `tini --` is left out. */
  const command = (words: readonly string[], env: Record<string, string> = {}) => {
    const args = words.slice(words.indexOf('node') + 1);
    const child = spawn(process.execPath, ['--preserve-symlinks', ...args], {
      cwd: made.root,
      env: {
        PATH: process.env['PATH'],
        ...environmentOf(image),
        ...env,
        SERVICEFIDO_DATA: data,
      },
    });
    children.push(child);
    return child;
  };

  it('the image starts, serves pages, font, SDK and prices, and writes only to its data', async () => {
    const before = made.files();
    const entry = JSON.parse(textsOf(image, 'ENTRYPOINT')[0] ?? '[]') as string[];
    const options = ['--port', '0', '--admin-password', ADMIN.password];
    const server = command([...entry, ...options]);
    let output = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const url = await eventually(() => {
      const found = /ready at (http:\S+)/.exec(output)?.[1];
      if (found === undefined) throw new Error(`It did not start: ${output}`);
      return found;
    });

    const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
    expect(await statusOf('/demo')).toBe(200);
    expect(await statusOf('/sdk/servicefido.js')).toBe(200);
    expect(await statusOf('/assets/source-sans/index.css')).toBe(200);
    const invoice = await fetch(`${url}/userapi/invoice?date=2026-01-31`, {
      headers: {
        authorization: `Basic ${btoa(`${ADMIN.user}:${ADMIN.password}`)}`,
        accept: 'application/json',
      },
    });
    expect(await invoice.json()).toMatchObject({ status: 'ok', invoice: { currency: 'EUR' } });

    const { port } = new URL(url);
    const health = /CMD (\[.*\])/.exec(textsOf(image, 'HEALTHCHECK')[0] ?? '')?.[1] ?? '[]';
    const check = command(JSON.parse(health) as string[], { SERVICEFIDO_PORT: port });
    expect(await once(check, 'exit')).toEqual([0, null]);
    expect(await end(server)).toBe(0);
    expect(made.files()).toEqual(before);
  });

  it('the image contains the check for writable Galera nodes', async () => {
    const port = await freePort();
    const nobody = await freePort();
    command(['node', 'docker/cluster/clustercheck.mjs', `${port}`], {
      DATABASE_URL: `mysql://nobody@127.0.0.1:${nobody}`,
    });
    const status = () => fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.status);
    expect(await eventually(status)).toBe(503);
  });
});
