import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '../../src/platform/project.js';

/** A separate folder with files of the project, so that a build there does not disturb other tests. */
export class ProjectCopy {
  private readonly folder = mkdtempSync(join(tmpdir(), 'servicefido-copy-'));
  /** In a folder of its own, so that a command may make another one beside it. */
  readonly root = join(this.folder, 'servicefido');

  /** @param paths files and folders of the project, copied to the same place */
  constructor(paths: readonly string[]) {
    mkdirSync(this.root);
    for (const path of paths) cpSync(projectPath(path), join(this.root, path), { recursive: true });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** The packages of the project, linked and not copied. */
  linkPackages(): void {
    symlinkSync(projectPath('node_modules'), this.path('node_modules'), 'dir');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
