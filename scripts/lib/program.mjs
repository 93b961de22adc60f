import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Programs that still run when this process ends go with it. */
const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A program in a process of its own, which can be ended and started again. */
export class Program {
  #child;

  /** @param log file that takes what the program says since its last start */
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

  /** @param options of `spawn` */
  start(args, options = {}) {
    const output = openSync(this.log, 'w');
    const child = spawn(this.program, args, { stdio: ['ignore', output, output], ...options });
    closeSync(output);
    running.add(child);
    child.once('exit', () => running.delete(child)).once('error', () => running.delete(child));
    this.#child = child;
  }

  signal(name) {
    this.#child.kill(name);
  }

  /** Sends a signal and waits until the process is gone; answers its exit code. */
  async end(signal = 'SIGTERM') {
    if (!this.running) return this.exitCode;
    const gone = once(this.#child, 'exit');
    this.signal(signal);
    // A frozen one hears nothing but SIGKILL.
    this.signal('SIGCONT');
    const [code] = await gone;
    return code;
  }

  /** Waits until `probe` answers something true. */
  async until(probe, what, patienceMs = 60_000) {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const answer = await Promise.resolve()
        .then(probe)
        .catch(() => undefined);
      if (answer) return answer;
      if (!this.running || Date.now() > deadline) {
        const last = this.said.trim().split('\n').slice(-5).join('\n');
        throw new Error(`${what}: waited in vain.\n${last}`);
      }
      await pause(50);
    }
  }
}
