import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inProject } from './project.mjs';
import { freePort } from './services/programs.mjs';

const PATIENCE_MS = 60_000;
export const PASSWORD = 'a password of the harness';

/** The built server in a process of its own, with what the harness watches of it. */
export class OwnServer {
  #child;
  #said = '';
  #main;
  /** 0, where nothing listens, until the server is started. */
  port = 0;
  folder = mkdtempSync(join(tmpdir(), 'servicefido-own-'));

  /** @param main the built program: of this version, unless another is named */
  constructor(main = inProject('dist/main.js')) {
    this.#main = main;
  }

  /** @param options further flags of the server */
  async start(options = []) {
    this.port = await freePort();
    const own = ['--port', String(this.port), '--data', this.folder, '--log-level', 'error'];
    const args = [this.#main, ...own, '--admin-password', PASSWORD, ...options];
    this.#said = '';
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk) => (this.#said = (this.#said + chunk).slice(-4000)));
    }
    const deadline = Date.now() + PATIENCE_MS;
    while (!this.#said.includes('ready at')) {
      if (!this.running || Date.now() > deadline) throw new Error(`no start: ${this.#said}`);
      await pause(50);
    }
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid() {
    return this.#child.pid;
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The last that it said, errors above all. */
  get said() {
    return this.#said;
  }

  /** CPU time that it has used so far (Linux; a clock tick is a hundredth of a second there). */
  get cpuSeconds() {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) / 100;
  }

  /** Resident memory in MiB (Linux). */
  get memory() {
    return (
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]) / 1024
    );
  }

  /** Open files and sockets (Linux). */
  get descriptors() {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Tells the process to stop, waits until it has, and answers its exit code. */
  async end() {
    if (!this.running) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  }

  /** Kills the process as a power cut would, and waits until it is gone. */
  async kill() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async remove() {
    if (this.#child) await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
