import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newFolder } from './daemon.mjs';
import { MARIADB } from './mariadb.mjs';
import { findProgram, freePort } from './programs.mjs';
import { REDIS } from './redis.mjs';

const PATIENCE_MS = 60_000;
/** What has much data may have to recover it first. */
const LONG_PATIENCE_MS = 900_000;

/**
 * A database server or session store of one's own, to be frozen, killed and started again, with its
 * data and port kept: what no shared one may suffer.
 */
export class PrivateInstance {
  #child;

  /** @param kept whether its files stay behind */
  constructor({ program, args, folder, probe, url, kept }) {
    Object.assign(this, { program, args, folder, probe, url, kept });
    this.abandon = () => {
      this.#child?.kill('SIGKILL');
      this.#forget();
    };
    process.once('exit', this.abandon);
  }

  /**
   * @param more further arguments of the server, which beat ours
   * @param folder where its data lie and stay; else they go with it
   */
  static mariadb = (more = [], folder = undefined) => prepared(MARIADB, more, folder);
  static redis = (more = []) => prepared(REDIS, more);

  /** Starts, or starts again; resolves when it answers. */
  async start() {
    const log = join(this.folder, 'output.log');
    const output = openSync(log, 'a');
    // Ctrl-C is the script's to answer: it lets the server close its files.
    const group = { detached: this.kept };
    const child = spawn(this.program, this.args, { stdio: ['ignore', output, output], ...group });
    closeSync(output);
    this.#child = child;
    const deadline = Date.now() + (this.kept ? LONG_PATIENCE_MS : PATIENCE_MS);
    for (;;) {
      try {
        await this.probe();
        return;
      } catch (error) {
        if (child.exitCode === null && Date.now() < deadline) {
          await pause(50);
          continue;
        }
        const said = readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ');
        throw new Error(`${this.program} did not come up: ${said}`, { cause: error });
      }
    }
  }

  get pid() {
    return this.#child.pid;
  }

  /** It keeps its connections, takes new ones, and answers none. */
  freeze() {
    this.#child.kill('SIGSTOP');
  }

  thaw() {
    this.#child.kill('SIGCONT');
  }

  /** @param signal SIGTERM lets it close its files; SIGKILL is the crash */
  async end(signal = 'SIGKILL') {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  }

  /** Ends it, however it is, and removes its files unless they are to stay. */
  async remove() {
    await this.end(this.kept ? 'SIGTERM' : 'SIGKILL');
    process.off('exit', this.abandon);
    this.#forget();
  }

  #forget() {
    if (!this.kept) rmSync(this.folder, { recursive: true, force: true });
  }
}

async function prepared(kind, more, kept) {
  const program = findProgram(...kind.programs);
  if (!program) throw new Error(`No ${kind.programs[0]} is installed.`);
  const { args, ...rest } = await kind.prepare(program, kept);
  const isKept = kept !== undefined;
  return new PrivateInstance({ program, ...rest, args: [...args, ...more], kept: isKept });
}
