import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectPath } from '../../src/config/project.js';
import { listen } from '../support/listen.js';

interface LockedPackage {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** A workspace: the project itself. */
  readonly link?: boolean;
}

/** A package on which no other of ours depends. */
const WEAK = 'uplot';

/** What `npm run audit` says, and its exit code, where the registry answers this. */
async function audit(status: number, advisories: object) {
  const registry = createServer((request, response) => {
    request.resume();
    const asksForPackage = request.method === 'GET';
    response.writeHead(asksForPackage ? 200 : status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(asksForPackage ? { name: WEAK, versions: {} } : advisories));
  });
  const port = await listen(registry);
  // npm remembers what it has heard of a weakness.
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

const advisory = (severity: string) => ({
  [WEAK]: [
    {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'a weakness',
      severity,
      vulnerable_versions: '*',
    },
  ],
});

describe('npm run audit', () => {
  it('fails on a weakness of severity high', async () => {
    expect(await audit(200, advisory('high'))).toMatchObject({
      code: 1,
      output: expect.stringMatching(/ [1-9]\d* high/),
    });
  }, 60_000);

  it('passes where none is known, or none that is grave', async () => {
    expect(await audit(200, {})).toMatchObject({
      code: 0,
      output: expect.stringContaining('0 critical, 0 high, 0 moderate, 0 low'),
    });
    expect(await audit(200, advisory('low'))).toMatchObject({ code: 0 });
  }, 60_000);

  it('says that nothing was checked where the registry does not answer', async () => {
    expect(await audit(405, {})).toMatchObject({
      code: 0,
      output: expect.stringContaining('NOT CHECKED'),
    });
  }, 60_000);
});

it('package-lock.json pins by digest all that can run in production', () => {
  const { packages } = JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const unpinned = Object.entries(packages).filter(
    ([path, { integrity, dev, optional, link }]) =>
      path.startsWith('node_modules/') && !link && integrity === undefined && !(dev && optional),
  );
  expect(unpinned).toEqual([]);
});
