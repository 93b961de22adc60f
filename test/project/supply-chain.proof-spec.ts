import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { projectPath } from '../../src/platform/project.js';
import { listen } from '../support/listen.js';
import { NpmRegistry, integrityOf } from '../support/npm-registry.js';

interface LockedPackage {
  readonly version?: string;
  /** Where it was fetched from; of a workspace, its folder. */
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** A workspace: the project itself. */
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(projectPath(path), 'utf8'));

const versionOf = (name: string) => lockedPackages()[`node_modules/${name}`]?.version ?? '';

const SQLITE = 'better-sqlite3';

/** A package on which no other of ours depends. */
const WEAK = 'uplot';

describe('npm run audit', () => {
  it('npm run audit fails on a vulnerability of high severity', async () => {
    expect(await audit(200, advisory('high'))).toMatchObject({
      code: 1,
      output: expect.stringMatching(/ [1-9]\d* high/),
    });
  });

  it('npm run audit passes with no vulnerability, or none of high severity', async () => {
    expect(await audit(200, {})).toMatchObject({
      code: 0,
      output: expect.stringContaining('0 critical, 0 high, 0 moderate, 0 low'),
    });
    expect(await audit(200, advisory('low'))).toMatchObject({ code: 0 });
  });

  it('npm run audit reports that nothing was checked if the registry does not answer', async () => {
    expect(await audit(405, {})).toMatchObject({
      code: 0,
      output: expect.stringContaining('NOT CHECKED'),
    });
  });
});

describe(SQLITE, () => {
  it('better-sqlite3 is installed without a compiler or Python', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'servicefido-install-'));
    const version = versionOf(SQLITE);
    const source = projectPath(`node_modules/${SQLITE}`);
    execFileSync('npm', ['pack', source, '--silent'], { cwd: folder });
    const archive = readFileSync(join(folder, `${SQLITE}-${version}.tgz`));
    const registry = await NpmRegistry.serve([{ name: SQLITE, version, archive }]);
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    symlinkSync(process.execPath, join(programs, 'node'));
    for (const name of ['sh', 'env']) symlinkSync(`/usr/bin/${name}`, join(programs, name));
    const dependencies = { [SQLITE]: version };
    const locked = { version, integrity: integrityOf(archive) };
    const packages = { '': { dependencies }, [`node_modules/${SQLITE}`]: locked };
    const lock = { lockfileVersion: 3, packages };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    copyFileSync(projectPath('.npmrc'), join(folder, '.npmrc'));
    const run = promisify(execFile);
    const options = {
      cwd: folder,
      env: {
        PATH: programs,
        HOME: folder,
        npm_config_registry: registry.url,
        npm_config_cache: join(folder, 'cache'),
      },
    };
    const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm']).toString().trim());
    await run('node', [npm, 'ci'], options);
    const opens = "new (require('better-sqlite3'))(':memory:').close(); console.log('opened')";
    expect((await run('node', ['-e', opens], options)).stdout).toBe('opened\n');
    registry.close();
    rmSync(folder, { recursive: true });
  });

  it('better-sqlite3 is of version 13, by an override of the range of TypeORM', () => {
    const { overrides } = readJson('package.json') as { overrides: Record<string, unknown> };
    const typeorm = readJson('node_modules/typeorm/package.json') as {
      peerDependencies: Record<string, string>;
    };
    expect(versionOf(SQLITE)).toMatch(/^13\./);
    // Once TypeORM admits 13, the override is of no use any more.
    expect(typeorm.peerDependencies[SQLITE]).toBe('^12.0.0');
    expect(overrides['typeorm']).toEqual({ [SQLITE]: `$${SQLITE}` });
  });
});

it('package-lock.json names no registry', () => {
  const addresses = Object.values(lockedPackages())
    .map(({ resolved }) => resolved)
    .filter((address) => address !== undefined && !address.startsWith('packages/'));
  expect(addresses).toEqual([]);
});

it('package-lock.json pins by digest everything that can run in production', () => {
  const unpinned = Object.entries(lockedPackages()).filter(
    ([path, { integrity, dev, optional, link }]) =>
      path.startsWith('node_modules/') && !link && integrity === undefined && !(dev && optional),
  );
  expect(unpinned).toEqual([]);
});

describe('scripts of packages', () => {
  it('two production packages have install scripts, and npm runs none of them', () => {
    const scripted = Object.entries(lockedPackages())
      .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
      .map(([path]) => path);
    expect(scripted).toEqual(['node_modules/@scarf/scarf', 'node_modules/better-sqlite3']);
    expect(readFileSync(projectPath('.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    // The image installs with the same settings.
    const dockerfile = readFileSync(projectPath('docker/Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^COPY .*\.npmrc[^]*^RUN npm ci/m);
  });

  it('@scarf/scarf is disabled, even if npm may run scripts', () => {
    // Its script reads this of the installed project. Running the script would need `npm ls` within three seconds.
    expect(readJson('package.json')).toMatchObject({ scarfSettings: { enabled: false } });
  });

  it('the published packages depend only on jose, which has no install script', () => {
    for (const name of ['browser', 'node']) {
      const { dependencies = {} } = readJson(`packages/${name}/package.json`) as {
        dependencies?: Record<string, string>;
      };
      expect(Object.keys(dependencies)).toEqual(name === 'node' ? ['jose'] : []);
    }
    expect(lockedPackages()['node_modules/jose']).not.toHaveProperty('hasInstallScript');
  });
});

function lockedPackages() {
  return (readJson('package-lock.json') as { packages: Record<string, LockedPackage> }).packages;
}

/** The output of `npm run audit` and its exit code, if the registry gives this answer. */
async function audit(status: number, advisories: object) {
  const registry = createServer((request, response) => {
    request.resume();
    const asksForPackage = request.method === 'GET';
    response.writeHead(asksForPackage ? 200 : status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(asksForPackage ? { name: WEAK, versions: {} } : advisories));
  });
  const port = await listen(registry);
  // npm caches reports of vulnerabilities.
  const cache = mkdtempSync(join(tmpdir(), 'servicefido-npm-'));
  const child = spawn(process.execPath, [projectPath('scripts/audit.mjs')], {
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: cache,
    },
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  registry.close();
  rmSync(cache, { recursive: true });
  return { code: code as number, output };
}

function advisory(severity: string) {
  return {
    [WEAK]: [
      {
        id: 1,
        url: 'https://advisories.example/1',
        title: 'a weakness',
        severity,
        vulnerable_versions: '*',
      },
    ],
  };
}
