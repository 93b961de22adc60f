import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from '../../bench/process-meter.mjs';
import { newFolder } from './folder.mjs';
import { Admin } from './load/admin.mjs';
import { Program } from './program.mjs';
import { inProject } from './project.mjs';
import { freePort } from './services/programs.mjs';

export const PASSWORD = 'a password of the harness';
const LOOK_MS = 250;

/** The built server in a separate process, with measurements for the harness. */
export class OwnServer extends Program {
  #main;
  /** 0, a port without a listener, until the server is started. */
  port = 0;
  admin = new Admin(this, PASSWORD);

  /** @param main the built program: by default of this version */
  constructor(main = inProject('dist/main.js')) {
    const folder = newFolder('own');
    super(process.execPath, join(folder, 'output.log'));
    this.folder = folder;
    this.#main = main;
  }

  /** @param options further flags of the server */
  async start(options = []) {
    this.port = await freePort();
    const own = ['--port', String(this.port), '--data', this.folder, '--log-level', 'error'];
    super.start([this.#main, ...own, '--admin-password', PASSWORD, ...options]);
    await this.until(() => this.said.includes('ready at'), 'the start of the server');
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The CPU time used so far (Linux). */
  get cpuSeconds() {
    return cpuSeconds(this.pid);
  }

  /** Resident memory in MiB (Linux). */
  get memory() {
    return (
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]) / 1024
    );
  }

  /** Returns the result of some work, and the server's peak memory during it. */
  async memoryDuring(work) {
    const held = [this.memory];
    const looking = setInterval(() => held.push(this.memory), LOOK_MS);
    const result = await work().finally(() => clearInterval(looking));
    return { result, memory: Math.round(Math.max(...held, this.memory)) };
  }

  /** The event loop delay since the last call: 99th percentile and maximum, in ms. */
  async lag() {
    const { text } = await this.admin.text('/metrics');
    const of = (name) =>
      Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)[1]);
    return { p99: Math.round(of('p99') * 1000), max: Math.round(of('max') * 1000) };
  }

  /** Open files and sockets (Linux). */
  get descriptors() {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  async remove() {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
