import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Programs that are still running when this process ends are killed. */
const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A program in a separate process, which can be ended and started again. */
export class Program {
  #child;
  #isGroup = false;

  /** @param log file for the program's output since its last start */
  constructor(program, log) {
    this.program = program;
    this.log = log;
  }

  get running() {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.signalCode;
  }

  get pid() {
    return this.#child.pid;
  }

  get exitCode() {
    return this.#child?.exitCode;
  }

  get said() {
    return readFileSync(this.log, 'utf8');
  }

  /** The end of its output, in one line. */
  get lastWords() {
    return this.said.trim().split('\n').slice(-3).join(' | ');
  }

  /** Resolves when it has ended, or could not be started. */
  ended = Promise.resolve();

  /** @param options of `spawn` */
  start(args, options = {}) {
    const output = openSync(this.log, 'w');
    const child = spawn(this.program, args, { stdio: ['ignore', output, output], ...options });
    closeSync(output);
    running.add(child);
    this.#child = child;
    this.#isGroup = options.detached === true;
    this.ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    void this.ended.then(() => running.delete(child));
  }

  signal(name) {
    // With `detached` it leads a process group, which receives the signal as a whole.
    if (this.#isGroup) process.kill(-this.pid, name);
    else this.#child.kill(name);
  }

  /** Sends a signal and waits until the process has ended; returns its exit code. */
  async end(signal = 'SIGTERM') {
    if (!this.running) return this.exitCode;
    this.signal(signal);
    // A frozen process reacts only to SIGKILL.
    this.#child.kill('SIGCONT');
    await this.ended;
    return this.exitCode;
  }

  /** Waits until `probe` returns a truthy value. */
  async until(probe, what, patienceMs = 60_000) {
    const deadline = Date.now() + patienceMs;
    let cause;
    for (;;) {
      const answer = await Promise.resolve()
        .then(probe)
        .catch((error) => void (cause = error));
      if (answer) return answer;
      if (!this.running || Date.now() > deadline) {
        throw new Error(`${what}: waited in vain: ${this.lastWords}`, { cause });
      }
      await pause(50);
    }
  }
}
