import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  readdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { OUTSIDE } from '../../../scripts/lib/outside.mjs';
import { projectPath } from '../../../src/platform/project.js';
import { buildContext } from './build-context.js';
import { copiesOf, stages, type Copy } from './dockerfile.js';

/** The Dockerfile's working directory. */
const WORKDIR = '/app/';

/**
 * The content of the image, in a folder: made only from the build context, by the Dockerfile's copies and its build.
 * Packages are links: all of them where it builds, those outside the bundle in the result, where Node needs
 * `--preserve-symlinks` so that it finds no others.
 */
export class Image {
  private readonly folder = mkdtempSync(join(tmpdir(), 'servicefido-image-'));
  readonly root = join(this.folder, 'image');
  private readonly build = join(this.folder, 'build');
  private readonly context = buildContext();

  static async make(): Promise<Image> {
    const image = new Image();
    const [, build = [], last = []] = stages();
    for (const copy of copiesOf(build)) image.copy(copy, image.build);
    symlinkSync(projectPath('node_modules'), join(image.build, 'node_modules'), 'dir');
    await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: image.build });
    for (const copy of copiesOf(last).filter(isOurs)) image.copy(copy, image.root);
    return image;
  }

  /** Its files, without packages. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.startsWith('node_modules'))
      .sort();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private copy({ from, sources, target }: Copy, into: string): void {
    for (const source of sources) {
      const path = join(into, target.endsWith('/') ? join(target, basename(source)) : target);
      if (from === undefined) this.copyFromContext(source, path);
      else if (basename(source) === 'node_modules') linkOutsidePackages(path);
      else cpSync(join(this.build, source.slice(WORKDIR.length)), path, { recursive: true });
    }
  }

  private copyFromContext(source: string, target: string): void {
    const below = this.context.filter((path) => path === source || path.startsWith(`${source}/`));
    if (below.length === 0) throw new Error(`${source} is not in the build context`);
    for (const path of below) {
      const to = join(target, path.slice(source.length));
      mkdirSync(dirname(to), { recursive: true });
      cpSync(projectPath(path), to);
    }
  }
}

/** Programs of Debian are not copied. */
const isOurs = ({ from, sources }: Copy) =>
  from === undefined || sources.every((source) => source.startsWith(WORKDIR));

/** What `docker/prune-packages.mjs` leaves, as links to what is installed. */
function linkOutsidePackages(folder: string): void {
  for (const name of withDependencies(OUTSIDE)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(projectPath(`node_modules/${name}`), join(folder, name), 'dir');
  }
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** These packages and all that they need; what lies in a package's own `node_modules` is linked with it. */
function withDependencies(names: readonly string[]): Set<string> {
  const { packages } = JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Set(names);
  // Names that are added meanwhile are visited too.
  for (const name of found) {
    const { dependencies = {} } = packages[`node_modules/${name}`] ?? {};
    for (const needed of Object.keys(dependencies)) {
      if (!existsSync(projectPath(`node_modules/${name}/node_modules/${needed}`))) {
        found.add(needed);
      }
    }
  }
  return found;
}
