import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packClients, packServer, writeChecksums } from '../../scripts/lib/release/artifacts.mjs';
import { billOfMaterials } from '../../scripts/lib/release/sbom.mjs';
import { PRODUCT_VERSION, projectPath } from '../../src/platform/project.js';
import { ProjectCopy } from '../support/project-copy.js';

const FILES = [
  'package.json',
  'package-lock.json',
  'packages/browser/package.json',
  'packages/node/package.json',
  'packages/testing/package.json',
  'scripts',
];

describe('npm run release', () => {
  let project: ProjectCopy;
  beforeEach(() => {
    project = new ProjectCopy(FILES);
    writeFileSync(
      project.path('CHANGELOG.md'),
      `# Changes\n\n## ${PRODUCT_VERSION}\n\nAll is new.\n`,
    );
    git('init', '--quiet');
    commit();
  });
  afterEach(() => project.remove());

  it('a release refuses uncommitted files', () => {
    writeFileSync(project.path('forgotten.txt'), '');
    expect(release()).toEqual(refusal('commit or remove these first:\n\\?\\? forgotten.txt'));
  });

  it('a release refuses a version without a section in the changelog', () => {
    writeFileSync(
      project.path('CHANGELOG.md'),
      `## Unreleased\n\nNews.\n\n## ${PRODUCT_VERSION}\n\n## 0.1`,
    );
    commit();
    expect(release()).toEqual(refusal(`CHANGELOG.md says nothing under "## ${PRODUCT_VERSION}"`));
  });

  it('a release refuses packages of another version', () => {
    const path = project.path('packages/node/package.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...manifest, version: '0.0.1' }));
    commit();
    expect(release()).toEqual(
      refusal(`The version is ${PRODUCT_VERSION}, but another one in packages/node/package.json`),
    );
  });

  it('a release refuses a version that was already released', () => {
    git('tag', `v${PRODUCT_VERSION}`);
    expect(release()).toEqual(refusal(`The tag v${PRODUCT_VERSION} exists`));
  });

  it('a release checks everything before it deletes the files of the previous one', () => {
    const folder = project.path('earlier');
    mkdirSync(folder);
    writeFileSync(join(folder, 'SHA256SUMS'), 'of an earlier release');
    commit();
    const flags = ['--output', folder, '--base', 'localhost/no-such-image'];
    expect(release(flags, '')).toEqual(refusal('git var: '));
    expect(release(flags)).toEqual(refusal('(?:There is no image|Buildah is not installed)'));
    expect(readdirSync(folder)).toEqual(['SHA256SUMS']);
  });

  function git(...args: string[]) {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    execFileSync('git', [...author, ...args], { cwd: project.root });
  }

  function commit() {
    git('add', '.');
    git('commit', '--quiet', '--message', 'test');
  }

  /** The command's output and its exit code. Nothing can be built here, since there are no sources. */
  function release(flags = ['--dry-run'], committer = 'test') {
    const args = [project.path('scripts/release.mjs'), ...flags];
    const email = committer && 'test@example.com';
    const identity = { GIT_COMMITTER_NAME: committer, GIT_COMMITTER_EMAIL: email };
    const env = { ...process.env, ...identity };
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    return { status, stderr };
  }

  function refusal(text: string) {
    return {
      status: 1,
      stderr: expect.stringMatching(new RegExp(`^servicefido: ${text}`)) as string,
    };
  }
});

describe('the files of a release', () => {
  it('the files of a release have the same bytes when they are made twice', async () => {
    const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'servicefido-release-')));
    const sums = await Promise.all(
      folders.map(async (folder) => {
        await packServer(folder);
        packClients(folder);
        writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(new Date(0)));
        expect(writeChecksums(folder)).toEqual([
          'sbom.cdx.json',
          `servicefido-${PRODUCT_VERSION}.tgz`,
          `servicefido-browser-${PRODUCT_VERSION}.tgz`,
          `servicefido-node-${PRODUCT_VERSION}.tgz`,
          `servicefido-testing-${PRODUCT_VERSION}.tgz`,
          'SHA256SUMS',
        ]);
        return readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
      }),
    );
    expect(sums[1]).toBe(sums[0]);
    folders.forEach((folder) => rmSync(folder, { recursive: true }));
  });
});

it('every package has the version of the server, including those of the examples', () => {
  const examples = ['express', 'native-app', 'next', 'static-page'];
  const manifests = [
    ...FILES.slice(0, 5),
    ...examples.map((name) => `examples/${name}/package.json`),
  ];
  const versions = manifests.map(
    (path) => (JSON.parse(readFileSync(projectPath(path), 'utf8')) as { version: string }).version,
  );
  expect(new Set(versions)).toEqual(new Set([PRODUCT_VERSION]));
});
