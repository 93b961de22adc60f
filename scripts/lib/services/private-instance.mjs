import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../program.mjs';
import { MARIADB } from './mariadb.mjs';
import { findProgram } from './programs.mjs';
import { REDIS } from './redis.mjs';

const PATIENCE_MS = 60_000;
/** A server with much data may need to recover it first. */
const LONG_PATIENCE_MS = 900_000;
/** The maximum number of restarts of a crashed server. */
const MAX_RESTARTS = 3;

/**
 * A dedicated database server or session store, which can be frozen, killed and started again with its data and
 * port, unlike a shared one.
 */
export class PrivateInstance extends Program {
  #isRemoved = false;

  /** @param kept whether its files are kept */
  constructor({ program, args, folder, probe, url, kept }) {
    super(program, join(folder, 'output.log'));
    Object.assign(this, { args, folder, probe, url, kept });
    this.forget = () => kept || rmSync(folder, { recursive: true, force: true });
    process.once('exit', this.forget);
  }

  /**
   * @param more further arguments of the server, which override the defaults
   * @param folder for persistent data; by default the data is removed with the instance
   */
  static mariadb = (more = [], folder = undefined) => PrivateInstance.of(MARIADB, more, folder);
  static redis = (more = []) => PrivateInstance.of(REDIS, more);

  static async of(kind, more, folder) {
    const program = findProgram(...kind.programs);
    if (!program) throw new Error(`No ${kind.programs[0]} is installed.`);
    const { args, ...rest } = await kind.prepare(program, folder);
    const kept = folder !== undefined;
    return new PrivateInstance({ program, ...rest, args: [...args, ...more], kept });
  }

  /** Starts, or starts again; resolves with its version once it answers. */
  start({ detached = this.kept } = {}) {
    // If files are kept, the script handles Ctrl-C and lets the server close them.
    super.start(this.args, { detached });
    return this.until(this.probe, this.program, this.kept ? LONG_PATIENCE_MS : PATIENCE_MS);
  }

  /**
   * Starts it for a run of many minutes. If it crashes, it is restarted on the same data, the end of its log is
   * printed, and the run continues.
   */
  async keepRunning() {
    try {
      // A separate process group: Ctrl-C reaches the tests first, and they still find their database.
      const version = await this.start({ detached: true });
      void this.#startAgain();
      return version;
    } catch (error) {
      await this.remove();
      throw error;
    }
  }

  async #startAgain() {
    for (let restarts = 0; restarts < MAX_RESTARTS; restarts += 1) {
      await this.ended;
      if (this.#isRemoved) return;
      console.error(`\n${this.program} ended by itself and is started again: ${this.lastWords}`);
      super.start(this.args, { detached: true });
    }
  }

  /** A frozen server keeps its connections and accepts new ones, but does not answer. */
  freeze() {
    this.signal('SIGSTOP');
  }

  thaw() {
    this.signal('SIGCONT');
  }

  /** @param signal SIGTERM lets it close its files; SIGKILL is a crash */
  end(signal = 'SIGKILL') {
    return super.end(signal);
  }

  /** Ends it in any state, and removes its files unless they are kept. */
  async remove() {
    this.#isRemoved = true;
    await this.end(this.kept ? 'SIGTERM' : 'SIGKILL');
    process.off('exit', this.forget);
    this.forget();
  }
}
