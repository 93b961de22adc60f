import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newFolder } from './daemon.mjs';
import { MARIADB } from './mariadb.mjs';
import { findProgram, freePort } from './programs.mjs';
import { REDIS } from './redis.mjs';

const PATIENCE_MS = 60_000;

/**
 * A database server or session store of one's own, to be frozen, killed and started again, with its
 * data and port kept: what no shared one may suffer.
 */
export class PrivateInstance {
  #child;

  constructor({ program, args, folder, probe, url }) {
    Object.assign(this, { program, args, folder, probe, url });
    this.abandon = () => {
      this.#child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    };
    process.once('exit', this.abandon);
  }

  /** @param more further arguments of the server, which beat ours */
  static mariadb = (more = []) => prepared(MARIADB, more);
  static redis = (more = []) => prepared(REDIS, more);

  /** Starts, or starts again; resolves when it answers. */
  async start() {
    const log = join(this.folder, 'output.log');
    const output = openSync(log, 'a');
    const child = spawn(this.program, this.args, { stdio: ['ignore', output, output] });
    closeSync(output);
    this.#child = child;
    const deadline = Date.now() + PATIENCE_MS;
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

  /** Ends it, however it is, and removes its files. */
  async remove() {
    await this.end();
    process.off('exit', this.abandon);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function prepared(kind, more) {
  const program = findProgram(...kind.programs);
  if (!program) throw new Error(`No ${kind.programs[0]} is installed.`);
  const { args, ...rest } = await kind.prepare(program);
  return new PrivateInstance({ program, ...rest, args: [...args, ...more] });
}
