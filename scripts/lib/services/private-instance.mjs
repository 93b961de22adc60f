import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../program.mjs';
import { MARIADB } from './mariadb.mjs';
import { findProgram } from './programs.mjs';
import { REDIS } from './redis.mjs';

/** The maximum number of restarts of a crashed server. */
const MAX_RESTARTS = 3;

/**
 * A dedicated database server or session store, which can be frozen, killed and started again with its data and
 * port, unlike a shared one.
 */
export class PrivateInstance extends Program {
  #isRemoved = false;

  constructor({ program, args, folder, probe, url }) {
    super(program, join(folder, 'output.log'));
    Object.assign(this, { args, folder, probe, url });
    this.forget = () => rmSync(folder, { recursive: true, force: true });
    process.once('exit', this.forget);
  }

  /** @param more further arguments of the server, which override the defaults */
  static mariadb = (more = []) => PrivateInstance.of(MARIADB, more);
  static redis = (more = []) => PrivateInstance.of(REDIS, more);

  static async of(kind, more) {
    const program = findProgram(...kind.programs);
    if (!program) throw new Error(`No ${kind.programs[0]} is installed.`);
    const { args, ...rest } = await kind.prepare(program);
    return new PrivateInstance({ program, ...rest, args: [...args, ...more] });
  }

  /** Starts, or starts again; resolves with its version once it answers. */
  start({ detached = false } = {}) {
    super.start(this.args, { detached });
    return this.until(this.probe, this.program);
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

  /** Ends it in any state, and removes its files. */
  async remove() {
    this.#isRemoved = true;
    await this.end();
    process.off('exit', this.forget);
    this.forget();
  }
}
