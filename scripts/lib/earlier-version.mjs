import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { packagesMatchLock } from './packages.mjs';
import { inProject, Refusal, ROOT, say } from './project.mjs';

/**
 * While there is no release: the last version known to run before DTOs, entities and configuration came to be
 * Nest's.
 */
const BEFORE_ANY_RELEASE = 'b4149ad';
const MIGRATIONS = 'dist/database/migrations';

/** A version of the project's history, built in a folder of its own. */
export class EarlierVersion {
  #folder = mkdtempSync(join(tmpdir(), 'servicefido-earlier-'));

  /** @param ref a commit, a tag; by default the last release, if there is one */
  constructor(ref = lastRelease() ?? BEFORE_ANY_RELEASE) {
    this.name = git('rev-parse', '--short', `${ref}^{commit}`);
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
      npm(['ci', '--prefix', folder, '--no-fund', '--no-audit'], 'Is the network reachable?');
    }
    npm(['run', '--silent', 'build', '--prefix', folder], 'The earlier version does not build.');
  }

  /** Names of migrations that this version has and the earlier one has not. */
  laterMigrations() {
    const known = new Set(readdirSync(join(this.#folder, MIGRATIONS)));
    const ours = readdirSync(inProject(MIGRATIONS)).filter((name) => /^\d+-.*\.js$/.test(name));
    return ours.filter((name) => !known.has(name));
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function lastRelease() {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD^');
  } catch {
    return undefined;
  }
}

function git(...args) {
  try {
    const stdio = ['ignore', 'pipe', 'pipe'];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio }).trim();
  } catch (error) {
    const reason = String(error.stderr || error.message).trim();
    throw new Refusal(
      `git ${args[0]}: ${reason} (versions are compared in a clone with its history)`,
    );
  }
}
