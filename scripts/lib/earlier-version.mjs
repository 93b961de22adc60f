import { cpSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './folder.mjs';
import { must } from './must.mjs';
import { npm } from './npm.mjs';
import { packagesMatchLock } from './packages.mjs';
import { built } from './migrations.mjs';
import { inProject, ROOT, say } from './project.mjs';

/** Folders of earlier versions had other names. */
const MIGRATION = /\bmigrations\/(?:\w+\/)*(\d+-[\w-]+\.js)$/;

const SQLITE = 'node_modules/better-sqlite3';

/** A version of the project's history, built in its own folder. */
export class EarlierVersion {
  #folder = newFolder('earlier');

  /** @param ref a commit or a tag */
  constructor(ref) {
    this.name = git('rev-parse', '--short', `${ref}^{commit}`);
  }

  /** The default version to upgrade from: the last release, or version 1.0. */
  static async defaultRef() {
    const { VERSION_1_0 } = await built('platform/database/migrate.js');
    return lastRelease() ?? VERSION_1_0;
  }

  get main() {
    return join(this.#folder, 'dist/main.js');
  }

  build() {
    const folder = this.#folder;
    say(`building the earlier version ${this.name}`);
    git('clone', '--quiet', '--shared', '--no-checkout', ROOT, folder);
    git('-C', folder, 'checkout', '--quiet', '--detach', this.name);
    if (packagesMatchLock(join(folder, 'package-lock.json'))) {
      say('it runs on the packages of this version, which are those of its lock file');
      symlinkSync(inProject('node_modules'), join(folder, 'node_modules'), 'dir');
    } else {
      say('installing the packages of its lock file (npm ci)');
      const install = ['ci', '--prefix', folder, '--ignore-scripts', '--no-fund', '--no-audit'];
      npm(install, 'Is the network reachable?');
      this.#replaceCompiledSqlite();
    }
    npm(['run', '--silent', 'build', '--prefix', folder], 'The earlier version does not build.');
  }

  /**
   * Before version 13, better-sqlite3 has no binary in its package, and aborts on Node.js 24.19 and later. So an
   * earlier version runs with the one of this version.
   */
  #replaceCompiledSqlite() {
    const earlier = join(this.#folder, SQLITE);
    if (existsSync(join(earlier, 'prebuilds'))) return;
    rmSync(earlier, { recursive: true, force: true });
    cpSync(inProject(SQLITE), earlier, { recursive: true });
  }

  /** Names of migrations that this version adds to the earlier one. */
  laterMigrations() {
    const known = new Set(migrationsIn(join(this.#folder, 'dist')));
    return migrationsIn(inProject('dist')).filter((name) => !known.has(name));
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const migrationsIn = (folder) =>
  readdirSync(folder, { recursive: true }).flatMap((path) => MIGRATION.exec(path)?.[1] ?? []);

function lastRelease() {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD^');
  } catch {
    return undefined;
  }
}

const git = (...args) => must('git', ...args);
