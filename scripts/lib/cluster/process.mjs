import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Whatever still runs when this process ends goes with it. */
const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** One program of the cluster, that can be ended and started again over the same data. */
export class ClusterProcess {
  #child;

  /** @param log file that takes what the program says */
  constructor(program, log) {
    this.program = program;
    this.log = log;
  }

  get runs() {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.signalCode;
  }

  start(args, env = {}) {
    const output = openSync(this.log, 'a');
    const stdio = ['ignore', output, output];
    const child = spawn(this.program, args, { stdio, env: { ...process.env, ...env } });
    running.add(child);
    child.once('exit', () => running.delete(child));
    this.#child = child;
  }

  /** Sends a signal and waits until the process is gone; answers its exit code. */
  async end(signal = 'SIGTERM') {
    if (!this.runs) return this.#child?.exitCode;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code] = await gone;
    return code;
  }

  said() {
    return readFileSync(this.log, 'utf8');
  }

  /** Waits until `probe` answers something true. */
  async until(probe, what, patienceMs = 60_000) {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const answer = await Promise.resolve(probe()).catch(() => undefined);
      if (answer) return answer;
      if (!this.runs || Date.now() > deadline) {
        const last = this.said().trim().split('\n').slice(-5).join('\n');
        throw new Error(`${what}: waited in vain.\n${last}`);
      }
      await pause(100);
    }
  }
}
